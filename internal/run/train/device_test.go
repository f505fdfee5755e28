package train

import "github.com/losscorr/losscorr/torch/torchtest"

// device is that of the tests of a GPU, opened before anything asks libtorch about GPUs.
var device = torchtest.Device()
