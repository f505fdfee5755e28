package run

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
)

// split splits the noisy training set into training and validation examples.
func (r *run) split() train.Data {
	training, validation := r.parts()
	data := train.Data{Train: r.set(training), Validation: r.set(validation), Test: r.source.sets.Test,
		Epochs: r.Epochs, Batch: r.BatchSize, Steps: r.StepsPerEpoch}
	if r.source.Validation.Len() > 0 {
		data.Validation = r.source.sets.Validation
	}
	r.bound(&data.Test, r.Examples.Test, "test examples")
	r.bound(&data.Validation, r.Examples.Validation, "validation examples")
	look := r.look()
	data.Validation.Prepare, data.Test.Prepare = look, look
	if r.Augment != config.NoAugment {
		data.Train.Prepare = r.source.prepare
	}
	return data
}

// parts splits the rows as the paper does: a random share, a tenth, is for validation, or none if the data set comes
// with a validation set.
func (r *run) parts() (training, validation []int) {
	rows := r.rows()
	n := len(rows)
	held := validationSize(r.Config, n)
	order := make([]int, n)
	for i, j := range rand.New(r.rng("split")).Perm(n) {
		order[i] = rows[j]
	}
	if r.Validation.From == config.Last {
		return order[:n-held], order[n-held:]
	}
	return order[held:], order[:held]
}

// bound reduces a set to limit examples, drawn from its own random stream; 0 keeps all.
func (r *run) bound(set *train.Set, limit int, order string) {
	if n := set.Len(); limit > 0 && limit < n {
		part := rand.New(r.rng(order)).Perm(n)[:limit]
		set.Index = torch.FromSlice(part).ToDevice(r.device)
	}
}

// rows returns the training examples that the run may use, including validation and without the left-out fold.
func (r *run) rows() []int {
	n := len(r.source.Train.Labels)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if limit := r.Examples.Train; limit > 0 && limit < n {
		order = rand.New(r.rng("examples")).Perm(n)[:limit]
	}
	if part := Folds(r.Config, r.source.Train.Labels, r.source.Train.Group); part != nil {
		order = slices.DeleteFunc(order, func(i int) bool { return part[i] == r.Folds.Out })
	}
	return order
}

// set returns training examples with the labels to train on, without augmentation.
func (r *run) set(rows []int) train.Set {
	set := r.source.sets.Train
	set.Y, set.Index = r.labels, torch.FromSlice(rows).ToDevice(r.device)
	set.Prepare = r.look()
	return set
}

// look returns the function from stored examples to the network's input: the last examples.words words of reviews, the
// middle of images larger than the input, dense rows for a network that does not accept compressed ones.
func (r *run) look() func(torch.Tensor) torch.Tensor {
	if r.source.compressed() {
		if r.ModelEntry().Sparse && precision(r.Config) == torch.Float32 {
			return nil
		}
		return torch.Tensor.ToDense
	}
	if words := r.Examples.Words; words > 0 {
		return func(x torch.Tensor) torch.Tensor { return x.Narrow(1, max(0, x.Size(1)-words), min(words, x.Size(1))) }
	}
	prepare, side := r.source.prepare, r.side
	if side == 0 || r.source.Train.Shape[1] == side && r.source.Train.Shape[2] == side {
		return prepare
	}
	crop := r.crop()
	switch {
	case prepare == nil:
		return crop.Centre
	case strings.HasPrefix(r.Preprocessing, "pixel-mean"): // the mean has the size of the whole image
		return func(x torch.Tensor) torch.Tensor { return crop.Centre(prepare(x)) }
	}
	return func(x torch.Tensor) torch.Tensor { return prepare(crop.Centre(x)) }
}

// crop returns the augmentation of Section 5.1 for images [C H W], without a border if they are larger than the
// network's input.
func (r *run) crop() train.Crop {
	if side := r.side; side > 0 {
		return train.Crop{Height: side, Width: side, Flip: true}
	}
	return train.Crop{Height: r.source.Train.Shape[1], Width: r.source.Train.Shape[2], Pad: 4, Flip: true}
}
