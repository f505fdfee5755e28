package nn_test

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Where these tests run; see torchtest.Device.
var device = torchtest.Device()

var f32 = torch.Options{Device: device}
