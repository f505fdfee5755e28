package views

import "github.com/losscorr/losscorr/internal/dataset"

// Views without features: networks that learn from the data itself.
var (
	wordsEntry = Entry{Name: "words", Title: "the mean of word vectors, learned with the labels",
		Data: dataset.Text, Cheap: true, Plain: true, Model: "word-average"}
	ownEntry = Entry{Name: "own", Title: "a network trained only on these images", Data: dataset.Image, Plain: true,
		Model: "cnn"}
	mlpEntry = Entry{Name: "mlp", Title: "the numbers, under two hidden layers", Data: dataset.Vector, Cheap: true,
		Plain: true, Model: "mlp"}
	linearEntry = Entry{Name: "linear", Title: "the numbers, under a linear layer", Data: dataset.Vector, Plain: true,
		Model: "linear"}
)
