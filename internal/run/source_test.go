package run

import (
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Runs on one data set share its tensors; an unused set's tensors are freed when another is opened.
func TestSourceShared(t *testing.T) {
	torchtest.Open(t)
	dir := t.TempDir()
	datatest.Digits(t, filepath.Join(dir, "mnist"), 60, 10)
	var p Pipeline
	before := torch.Live()
	open := func(input string) *source {
		t.Helper()
		s, err := p.source(config.Config{Dataset: "mnist", Preprocessing: input, Data: dir}, torch.CPU)
		expect.OK(t, err)
		return s
	}
	first := open("unit")
	known, err := p.dataset(t.Context(), config.Config{Dataset: "mnist", Data: dir},
		dataset.Options{Offline: true})
	if err != nil || known.Train.Len() != 60 || known.Train.X != nil {
		t.Errorf("once on a device, preflight has %d examples with %d bytes: %v", known.Train.Len(),
			len(known.Train.X), err)
	}
	one := torch.Live() - before
	// Five tensors: examples and rows for training and for test, and labels for test. None exists twice, once as read and
	// once on the device.
	if one != 5 || open("unit") != first {
		t.Fatalf("%d tensors, want 5, or a second run does not share them", one)
	}
	second := open("pixel-mean")
	two := torch.Live() - before
	if two <= one {
		t.Errorf("%d tensors with two sources, %d with one", two, one)
	}
	first.close()
	if open("pixel-mean") != second || torch.Live()-before != two {
		t.Error("the data was freed with one of its two users")
	}
	first.close() // the last user; the next run may need it
	if open("unit") != first {
		t.Error("an idle source was not kept for the next run")
	}
	first.close()
	third := open("pixel-mean-255")
	if live := torch.Live() - before; live != 2*(two-one) {
		t.Errorf("%d tensors, want %d: only the idle source's must be freed", live, 2*(two-one))
	}
	second.close()
	second.close()
	third.close()

	for key, s := range p.open {
		if s.users != 0 {
			t.Errorf("%d users left of %s", s.users, key)
		}
	}
	p.free()
	if live := torch.Live() - before; live != 0 {
		t.Errorf("%d tensors left", live)
	}
}

// MNIST's pixels are stored in compressed rows. A network that accepts them gets them as they are; other networks and
// other precisions get dense rows.
func TestSourceCompressed(t *testing.T) {
	torchtest.Open(t)
	var p Pipeline
	defer p.free()
	for _, c := range []struct {
		preprocessing, model, precision string
		stored, given                   bool
	}{
		{"unit", "mlp", "float32", true, true},
		{"unit", "mlp", "bfloat16", true, false},
		{"unit", "linear", "float32", true, true},
		{"unit", "linear", "bfloat16", true, false},
		{"unit", "mine.pt2", "float32", true, false},
		{"pixel-mean", "mlp", "float32", false, false},
	} {
		settings := config.Config{Dataset: "mnist", Preprocessing: c.preprocessing, Data: "../../data", Model: c.model,
			Precision: c.precision}
		s := expect.Got(p.source(settings, torch.CPU))(t)
		r := &run{Config: settings, source: s}
		torch.Scope(func() {
			set := s.sets.Test
			set.Prepare = r.look()
			x, _ := set.Take(set.Index.Narrow(0, 0, 3))
			if set.X.IsSparse() != c.stored || x.IsSparse() != c.given || x.Size(1) != 784 {
				t.Errorf("%+v: stored in compressed rows %v, given %v", c, set.X.IsSparse(), x.IsSparse())
			}
		})
		s.close()
	}
}

// The network sees the last examples.words words of a review, or all of a shorter one.
func TestLastWords(t *testing.T) {
	torchtest.Open(t)
	torch.Scope(func() {
		reviews := torch.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 2, 3)
		for words, want := range map[int][]int64{1: {3, 6}, 2: {2, 3, 5, 6}, 5: {1, 2, 3, 4, 5, 6}} {
			r := &run{Config: config.Config{Examples: config.Examples{Words: words}}, source: &source{}}
			expect.Same(t, want, torch.Slice[int64](r.look()(reviews).Contiguous()), words)
		}
	})
}
