package encoders

import (
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/nn"
)

// dinov2SmallEntry takes the weights of facebook/dinov2-small. Nobody has tried it with them: the
// hash of the file is not known, its size is that of a file of transformers with these parameters.
var dinov2SmallEntry = Entry{
	Name: "dinov2-small", Title: "DINOv2 ViT-S/14, trained on images without labels", Data: dataset.Image, Features: 384,
	Licence: "Apache-2.0", Source: "https://huggingface.co/facebook/dinov2-small",
	File:     File{Size: 88_249_960, Member: "model.safetensors"},
	ImageNet: true, Small: 224, Side: 224,
	Load: loadDINOv2Small,
}

func loadDINOv2Small(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // nothing is drawn
	model, err := models.DINOv2Small.Features(init)
	if err != nil {
		return nil, err
	}
	hidden := func(name string) bool { return name == "embeddings.mask_token" } // of hidden patches, in training
	return model, loadWeights(model, path, hidden)
}
