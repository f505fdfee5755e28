package main

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// On MNIST the loss starts near log 10 = 2.30, and 60 steps of 64 images bring it
// down: the mean of the last ten is below 1.4, with more than half of the images right.
func TestTrains(t *testing.T) {
	data := expect.Got(published.Open("mnist", dataset.Options{Root: "../../../data", Offline: true}))(t)
	defer torchtest.Scoped(t)()
	torch.SetThreads(1) // other tests run beside this one
	const steps = 60
	var first, last, right float64
	train(data, steps, func(step int, loss, accuracy float64) {
		if step < 3 {
			first += loss / 3
		}
		if step >= steps-10 {
			last += loss / 10
			right += accuracy / 10
		}
	})
	t.Logf("loss %.3f at first, %.3f at last, accuracy %.2f", first, last, right)
	if first < 2 || first > 3 {
		t.Errorf("the loss starts at %.3f, want some 2.3", first)
	}
	if last > 1.4 || right < .5 {
		t.Errorf("the loss ends at %.3f and the accuracy at %.2f", last, right)
	}
}
