package views

import (
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models/encoders"
)

// Views by the features of a pretrained network.
var efficientNetLite2Entry = Entry{
	Name: "efficientnet-lite2", Title: "features of " + encoders.All.Named("efficientnet-lite2").Title + ", under a linear layer",
	Data: dataset.Image, Cheap: true, Encoder: "efficientnet-lite2",
}

// dinov2SmallEntry is not tried where nobody names it: its features take longer than all else of an audit.
var dinov2SmallEntry = Entry{
	Name: "dinov2-small", Title: "features of " + encoders.All.Named("dinov2-small").Title + ", under a linear layer",
	Data: dataset.Image, Encoder: "dinov2-small",
}

// resnet50Entry is not tried where nobody names it, either.
var resnet50Entry = Entry{
	Name: "resnet50", Title: "features of " + encoders.All.Named("resnet50").Title + ", under a linear layer",
	Data: dataset.Image, Encoder: "resnet50",
}

var miniLMEntry = Entry{
	Name: "minilm", Title: "features of " + encoders.All.Named("minilm").Title + ", under a linear layer",
	Data: dataset.Text, Cheap: true, Encoder: "minilm", OneStage: true,
}
