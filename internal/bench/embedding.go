package bench

import (
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
)

// newEmbedding returns the constructor of the embedding network for IMDB with one kind
// of dropout, on synthetic reviews, with AdaGrad.
func newEmbedding(dropoutOf string) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) {
		model, err := models.Embedding{Dropout: .8, DropoutUnits: dropoutOf}.New(b.initial())
		if err != nil {
			return nil, err
		}
		optimizer := optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters())
		return b.train(reviews(20*batch, b.Device), 2, model, optimizer), nil
	}
}

// reviews returns reviews like IMDB's: words by Zipf's law, log-normal lengths, 200 words
// on average once cut, padded with zeros in front.
func reviews(n int, device torch.Device) train.Set {
	const length, words = 400, 5000
	r := rand.New(rand.NewPCG(1, 0))
	zipf := rand.NewZipf(r, 1.05, 1, words-4)
	ids, labels := make([]int32, n*length), make([]int64, n)
	for i := range n {
		count := min(length, int(math.Exp(5.15+.65*r.NormFloat64())))
		for t := length - count; t < length; t++ {
			ids[i*length+t] = 3 + int32(zipf.Uint64())
		}
		labels[i] = int64(r.IntN(2))
	}
	return train.Set{X: torch.FromSlice(ids, n, length).ToDevice(device), Y: torch.FromSlice(labels).ToDevice(device)}
}
