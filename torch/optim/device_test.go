package optim_test

import "github.com/losscorr/losscorr/torch/torchtest"

// Where these tests run; see torchtest.Device.
var device = torchtest.Device()
