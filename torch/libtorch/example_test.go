package libtorch_test

import (
	"errors"
	"fmt"

	"github.com/losscorr/losscorr/torch/libtorch"
)

func ExampleFindPin() {
	pin, err := libtorch.FindPin("default")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("pip install torch=="+pin.Version, pin.Packages)
	// Output: pip install torch==2.11.0 [nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 nvidia-cuda-crt==13.0.88]
}

func ExampleOpen() {
	in, err := libtorch.Open("no/such/folder", "the command line")
	var version *libtorch.VersionError
	switch {
	case errors.As(err, &version):
		fmt.Println("too old:", version.Found)
	case err != nil:
		fmt.Println("no libtorch there")
	default:
		fmt.Println(in)
	}
	// Output: no libtorch there
}
