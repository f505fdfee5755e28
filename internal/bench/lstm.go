package bench

import (
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
)

// newLSTM returns the constructor of the network for IMDB with an embedding of
// size dim, on random words, with AdaGrad.
func newLSTM(dim int, precision torch.DType) func(*bench) (*network, error) {
	return func(b *bench) (*network, error) {
		if err := b.check(precision); err != nil {
			return nil, err
		}
		const examples, words, length = 2 * batch, 5000, 400
		model, err := models.LSTM{Words: words, Dim: dim, Dropout: .5}.New(b.initial())
		if err != nil {
			return nil, err
		}
		g, whole := torch.NewGenerator(3, b.Device), torch.Options{DType: torch.Int64, Device: b.Device}
		set := train.Set{X: g.Integers(0, words, whole, examples, length), Y: g.Integers(0, 2, whole, examples)}
		optimizer := optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters())
		return b.train(set, 2, b.autocast(model, precision), optimizer), nil
	}
}
