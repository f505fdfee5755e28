package export_test

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
)

func ExampleDescribe() {
	d, err := export.Describe("testdata/vit.pt2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Input, "to", export.ShapeString(d.Outputs))
	// Output: [batch 3 16 16] float32 to [batch 5]
}

func ExampleLoad() {
	if torch.Open() != nil {
		fmt.Println("[2 5]") // no libtorch here
		return
	}
	torch.Scope(func() {
		network, err := export.Load("testdata/vit.pt2", export.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		logits := network.Forward(torch.Zeros(torch.Options{}, 2, 3, 16, 16), nn.Eval)
		fmt.Println(logits.Shape())
	})
	// Output: [2 5]
}
