package train_test

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
)

// The batches of a data set, as a loop of one's own takes them.
func ExampleSet() {
	data, err := published.Open("mnist", dataset.Options{Root: "../../../data"})
	if err != nil {
		fmt.Println(err)
		return
	}
	torch.Scope(func() {
		set := train.Examples(data.Test, torch.CPU)
		set.Y = train.Labels(data.Test.Labels, torch.CPU)
		for batch, err := range set.Batches(set.Index, 4096) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(batch.X.Reshape(-1, 1, 28, 28).Shape(), batch.X.DType(), batch.Y.Shape())
		}
	})
	// Output:
	// [4096 1 28 28] uint8 [4096]
	// [4096 1 28 28] uint8 [4096]
	// [1808 1 28 28] uint8 [1808]
}
