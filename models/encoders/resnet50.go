package encoders

import (
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/nn"
)

// resnet50Entry takes torchvision's weights IMAGENET1K_V2 (80.9 % on ImageNet). Nobody has tried it with them: of the
// hash of the file its name says the beginning, and its size is that of a file of torch.save with these parameters.
var resnet50Entry = Entry{
	Name: "resnet50", Title: "ResNet-50, trained on ImageNet", Data: dataset.Image, Features: 2048,
	Licence: "BSD-3-Clause", Source: "https://download.pytorch.org/models",
	File:     File{Begins: "11ad3fa6", Size: 102_523_303, Member: "resnet50-11ad3fa6.pth"},
	ImageNet: true, Small: 224, Side: 224,
	Load: loadResNet50,
}

func loadResNet50(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // nothing is drawn
	model, err := models.ResNet50{}.Features(init)
	if err != nil {
		return nil, err
	}
	return model, loadPickled(model, path, "fc.")
}
