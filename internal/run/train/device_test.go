package train

import "github.com/losscorr/losscorr/torch/torchtest"

// device is the GPU tests' device, opened before anything asks libtorch about GPUs.
var device = torchtest.Device()
