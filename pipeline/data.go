package pipeline

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

// data splits the noisy training set as the paper does: a random share, a tenth, is the
// validation set, unless the data set comes with one.
func (e *execution) data() training.Data {
	rows := e.rows()
	n := len(rows)
	held := held(e.Config, n)
	order := make([]int64, n)
	for i, j := range rand.New(e.rng("split")).Perm(n) {
		order[i] = rows[j]
	}
	validation, train := order[:held], order[held:]
	if e.Config.Validation.From == "last" {
		train, validation = order[:n-held], order[n-held:]
	}
	data := training.Data{Train: e.set(train), Validation: e.set(validation), Test: e.source.test}
	if own := e.source.validation; own != nil {
		data.Validation = *own
	}
	e.bound(&data.Test, e.Config.Examples.Test, "test examples")
	e.bound(&data.Validation, e.Config.Examples.Validation, "validation examples")
	look := e.look()
	data.Validation.Prepare, data.Test.Prepare = look, look
	if e.Config.Augment != "none" {
		data.Train.Prepare = e.source.prepare
	}
	return data
}

// bound reduces a set to limit examples, drawn from its own random stream; 0 keeps all.
func (e *execution) bound(set *training.Set, limit int, order string) {
	if n := set.Len(); limit > 0 && limit < n {
		part := rand.New(e.rng(order)).Perm(n)[:limit]
		set.Index = torch.FromSlice(part).ToDevice(e.device)
	}
}

// rows returns the training examples that the run may use, validation included, without
// those of the part that it leaves out.
func (e *execution) rows() []int64 {
	n := len(e.source.clean)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if limit := e.Config.Examples.Train; limit > 0 && limit < n {
		order = rand.New(e.rng("examples")).Perm(n)[:limit]
	}
	if part := Folds(e.Config, e.source.clean, e.source.members); part != nil {
		order = slices.DeleteFunc(order, func(i int) bool { return part[i] == e.Config.Folds.Out })
	}
	return wide(order)
}

func wide(rows []int) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = int64(r)
	}
	return out
}

// set returns training examples with their noisy labels, without augmentation.
func (e *execution) set(rows []int64) training.Set {
	set := e.source.train
	set.Y, set.Index = e.noise.tensor(e.device), torch.FromSlice(rows).ToDevice(e.device)
	set.Prepare = e.look()
	return set
}

// look returns the function from stored examples to the network's input: the last
// examples.words words of reviews, the middle of images that are larger than the input, all
// elements of compressed rows for a network that does not accept them.
func (e *execution) look() func(torch.Tensor) torch.Tensor {
	if e.source.compressed() {
		if e.Config.ModelEntry().Sparse && e.precision() == torch.Float32 {
			return nil
		}
		return torch.Tensor.ToDense
	}
	if words := e.Config.Examples.Words; words > 0 {
		return func(x torch.Tensor) torch.Tensor { return x.Narrow(1, max(0, x.Size(1)-words), min(words, x.Size(1))) }
	}
	prepare, side := e.source.prepare, e.side()
	if side == 0 || e.source.shape[1] == side && e.source.shape[2] == side {
		return prepare
	}
	crop := e.crop()
	switch {
	case prepare == nil:
		return crop.Centre
	case strings.HasPrefix(e.Config.Preprocessing, "pixel-mean"): // the mean has the size of the whole image
		return func(x torch.Tensor) torch.Tensor { return crop.Centre(prepare(x)) }
	}
	return func(x torch.Tensor) torch.Tensor { return prepare(crop.Centre(x)) }
}

// crop returns the augmentation of Section 5.1 for images [C H W], without a border for those
// that are larger than the network's input.
func (e *execution) crop() training.Crop {
	if side := e.side(); side > 0 {
		return training.Crop{Height: side, Width: side, Flip: true}
	}
	return training.Crop{Height: e.source.shape[1], Width: e.source.shape[2], Pad: 4, Flip: true}
}
