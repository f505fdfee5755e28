package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
)

// material is what every stage of a run computes from: its configuration, and its data on
// a device. Every random draw has its own stream, so that cross-entropy and the corrections
// of one seed see the same noise, split and initial weights.
type material struct {
	config.Config
	device   torch.Device
	source   *source
	side     int      // height and width of the network's input images, 0 if they are those of the data set
	warnings []string // what export.Describe warns of in an exported network
}

func newMaterial(c config.Config, device torch.Device, s *source) (*material, error) {
	m := &material{Config: c, device: device, source: s, side: c.ModelEntry().Side}
	if config.Exported(c.Model) {
		d, err := export.Describe(c.Model)
		if err != nil {
			return nil, fmt.Errorf("%w: the network: %w", dataset.ErrData, err)
		}
		m.side, m.warnings = exportedSide(d, s.shape), d.Warnings
	}
	return m, nil
}

// rng is the random stream of a name.
func (m *material) rng(name string) *rand.PCG { return rand.NewPCG(config.Stream(m.Seed, name), 0) }

// crossEntropy is the loss of the first network.
func (m *material) crossEntropy() losses.Loss {
	return losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: m.device}})
}

// split splits the noisy training set into a part to train on and the validation set.
func (m *material) split(noise *labels) train.Data {
	training, validation := m.parts()
	data := train.Data{Train: m.set(noise, training), Validation: m.set(noise, validation), Test: m.source.test,
		Epochs: m.Epochs, Batch: m.BatchSize, Steps: m.StepsPerEpoch}
	if own := m.source.validation; own != nil {
		data.Validation = *own
	}
	m.bound(&data.Test, m.Examples.Test, "test examples")
	m.bound(&data.Validation, m.Examples.Validation, "validation examples")
	look := m.look()
	data.Validation.Prepare, data.Test.Prepare = look, look
	if m.Augment != config.NoAugment {
		data.Train.Prepare = m.source.prepare
	}
	return data
}

// parts splits the rows as the paper does: a random share, a tenth, is for validation, none where the data set
// comes with a validation set.
func (m *material) parts() (training, validation []int64) {
	rows := m.rows()
	n := len(rows)
	held := held(m.Config, n)
	order := make([]int64, n)
	for i, j := range rand.New(m.rng("split")).Perm(n) {
		order[i] = rows[j]
	}
	if m.Validation.From == config.Last {
		return order[:n-held], order[n-held:]
	}
	return order[held:], order[:held]
}

// bound reduces a set to limit examples, drawn from its own random stream; 0 keeps all.
func (m *material) bound(set *train.Set, limit int, order string) {
	if n := set.Len(); limit > 0 && limit < n {
		part := rand.New(m.rng(order)).Perm(n)[:limit]
		set.Index = torch.FromSlice(part).ToDevice(m.device)
	}
}

// rows returns the training examples that the run may use, validation included, without
// those of the part that it leaves out.
func (m *material) rows() []int64 {
	n := len(m.source.clean)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if limit := m.Examples.Train; limit > 0 && limit < n {
		order = rand.New(m.rng("examples")).Perm(n)[:limit]
	}
	if part := Folds(m.Config, m.source.clean, m.source.members); part != nil {
		order = slices.DeleteFunc(order, func(i int) bool { return part[i] == m.Folds.Out })
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

// set returns training examples with the labels that are trained on, without augmentation.
func (m *material) set(noise *labels, rows []int64) train.Set {
	set := m.source.train
	set.Y, set.Index = noise.tensor(m.device), torch.FromSlice(rows).ToDevice(m.device)
	set.Prepare = m.look()
	return set
}

// look returns the function from stored examples to the network's input: the last
// examples.words words of reviews, the middle of images that are larger than the input, all
// elements of compressed rows for a network that does not accept them.
func (m *material) look() func(torch.Tensor) torch.Tensor {
	if m.source.compressed() {
		if m.ModelEntry().Sparse && precision(m.Config) == torch.Float32 {
			return nil
		}
		return torch.Tensor.ToDense
	}
	if words := m.Examples.Words; words > 0 {
		return func(x torch.Tensor) torch.Tensor { return x.Narrow(1, max(0, x.Size(1)-words), min(words, x.Size(1))) }
	}
	prepare, side := m.source.prepare, m.side
	if side == 0 || m.source.shape[1] == side && m.source.shape[2] == side {
		return prepare
	}
	crop := m.crop()
	switch {
	case prepare == nil:
		return crop.Centre
	case strings.HasPrefix(m.Preprocessing, "pixel-mean"): // the mean has the size of the whole image
		return func(x torch.Tensor) torch.Tensor { return crop.Centre(prepare(x)) }
	}
	return func(x torch.Tensor) torch.Tensor { return prepare(crop.Centre(x)) }
}

// crop returns the augmentation of Section 5.1 for images [C H W], without a border for those
// that are larger than the network's input.
func (m *material) crop() train.Crop {
	if side := m.side; side > 0 {
		return train.Crop{Height: side, Width: side, Flip: true}
	}
	return train.Crop{Height: m.source.shape[1], Width: m.source.shape[2], Pad: 4, Flip: true}
}
