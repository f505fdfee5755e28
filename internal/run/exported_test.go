package run

import (
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
)

// A network must take examples of the data's shape and type, and return its classes.
func TestNetworkFits(t *testing.T) {
	network := func(outputs int, dtype torch.DType, maxBatch int, input ...int) *export.Description {
		return &export.Description{
			Outputs: []int{-1, outputs},
			Input:   export.Input{Shape: append([]int{-1}, input...), DType: dtype, MaxBatch: maxBatch},
		}
	}
	images, words := []int{3, 32, 32}, []int{400}
	for _, c := range []struct {
		name    string
		d       *export.Description
		shape   []int
		dataset string
		words   int
		want    string
	}{
		{"images", network(10, torch.Float32, 0, 3, 32, 32), images, "cifar10", 0, ""},
		{"images of any size", network(10, torch.Float32, 0, 3, -1, -1), images, "cifar10", 0, ""},
		{"a crop", network(10, torch.Float32, 0, 3, 28, 28), images, "cifar10", 0, ""},
		{"pixels as an image", network(10, torch.Float32, 0, 1, 28, 28), []int{784}, "mnist", 0, ""},
		{"words", network(10, torch.Int64, 0, 400), words, "imdb", 0, ""},
		{"words of any number", network(10, torch.Int64, 0, -1), words, "imdb", 30, ""},
		{"fewer words", network(10, torch.Int64, 0, 30), words, "imdb", 30, ""},
		{"enough for a batch", network(10, torch.Float32, 256, 3, 32, 32), images, "cifar10", 0, ""},

		{"larger images", network(10, torch.Float32, 0, 3, 224, 224), images, "cifar10", 0,
			"takes [batch 3 224 224] float32, but examples of cifar10 are [batch 3 32 32]"},
		{"an oblong", network(10, torch.Float32, 0, 3, 28, 24), images, "cifar10", 0,
			"export it with an example of that shape"},
		{"grey images", network(10, torch.Float32, 0, 1, 32, 32), images, "cifar10", 0, "takes [batch 1 32 32]"},
		{"images in rows", network(10, torch.Float32, 0, 32, 3, 32), images, "cifar10", 0, "takes [batch 32 3 32]"},
		{"more words", network(10, torch.Int64, 0, 400), words, "imdb", 30, "examples of imdb are [batch 30]"},
		{"more words of own texts", network(2, torch.Int64, 0, 60), []int{52}, "own", 0,
			"examples of own are [batch 52]"},
		{"classes", network(1000, torch.Float32, 0, 3, 32, 32), images, "cifar10", 0,
			"returns [batch 1000], but cifar10 has 10 classes: export it with a last layer of 10"},
		{"numbers for pixels", network(10, torch.Int64, 0, 3, 32, 32), images, "cifar10", 0,
			"takes int64, but the input standard is float32"},
		{"pixels for numbers", network(10, torch.Float32, 0, 400), words, "imdb", 0,
			"takes float32, but the input words is word numbers"},
		{"a small batch", network(10, torch.Float32, 255, 3, 32, 32), images, "cifar10", 0,
			"takes batches of at most 255, but evaluation uses 256: set batch_size to 127"},
	} {
		config := config.Config{Model: "/a/net.pt2", Dataset: c.dataset, BatchSize: 128, Preprocessing: "standard",
			Examples: config.Examples{Words: c.words}}
		if c.dataset == "imdb" || c.dataset == "own" {
			config.Preprocessing = "words"
		}
		expect.Fails(t, networkFits(config, c.d, c.shape, 10), c.want, c.name)
	}
}

// An embedding must have a row for each word number of the data.
func TestWordsFit(t *testing.T) {
	data := &dataset.Dataset{Train: dataset.Split{Tokens: []int32{0, 1, 4}}, Test: dataset.Split{Tokens: []int32{1, 7}}}
	for _, c := range []struct {
		dataset string
		words   int
		want    string
	}{
		{"own", 8, ""},
		{"own", 0, ""},
		{"imdb", 7, "net.pt2 has an embedding of 7 words, but word numbers of imdb go up to 7: export it with an embedding " +
			"of 8"},
	} {
		d := &export.Description{Input: export.Input{Words: c.words}}
		err := wordsFit(config.Config{Model: "/a/net.pt2", Dataset: c.dataset}, d, data)
		expect.Fails(t, err, c.want, c.dataset)
	}
}
