package views

import (
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/encoders"
)

// Views by the features of a pretrained network.
var efficientNetLite2Entry = Entry{
	Name: "efficientnet-lite2", Title: "features of " + encoders.All.Named("efficientnet-lite2").Title +
		", under a linear layer",
	Data: dataset.Image, Cheap: true, Encoder: "efficientnet-lite2",
}

var miniLMEntry = Entry{
	Name: "minilm", Title: "features of " + encoders.All.Named("minilm").Title + ", under a linear layer",
	Data: dataset.Text, Cheap: true, Encoder: "minilm", OneStage: true,
}
