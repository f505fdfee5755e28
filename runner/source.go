package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

// source is a data set on a device. Runs share it and only read its tensors.
type source struct {
	classes []string
	files   []dataset.File
	clean   []int        // true labels of the training examples
	train   torch.Tensor // [N ...] float32
	test    training.Set
}

var sources struct {
	sync.Mutex
	data map[string]*dataset.Dataset // read, and not on a device yet
	open map[string]*source
}

// openSource loads a data set once per process and device.
func openSource(c Config, device torch.Device) (*source, error) {
	sources.Lock()
	defer sources.Unlock()
	key := dataKey(c) + "\n" + device.String()
	if s := sources.open[key]; s != nil {
		return s, nil
	}
	data, err := dataOf(c)
	if err != nil {
		return nil, err
	}
	s := &source{classes: data.Classes, files: data.Files, clean: data.Train.Labels}
	// A goroutine of its own is outside the run's scope: what it makes stays.
	made := make(chan error)
	go func() {
		made <- torch.Try(func() error {
			s.train = pixels(data.Train, device)
			s.test = training.Set{
				X: pixels(data.Test, device), Y: labelTensor(data.Test.Labels, device),
				Index: torch.Arange(0, float64(data.Test.Len()), 1, torch.Options{DType: torch.Int64, Device: device}),
			}
			return nil
		})
	}()
	if err := <-made; err != nil {
		return nil, err
	}
	if sources.open == nil {
		sources.open = map[string]*source{}
	}
	sources.open[key] = s
	delete(sources.data, dataKey(c)) // the tensors hold it now
	return s, nil
}

// pixels are bytes as numbers in [0, 1].
func pixels(s dataset.Split, device torch.Device) torch.Tensor {
	raw := torch.FromSlice(s.X, append([]int{s.Len()}, s.Shape...)...)
	defer raw.Free()
	moved := raw.To(torch.Options{DType: torch.Float32, Device: device})
	moved.MulScalarInPlace(1.0 / 255)
	return moved
}

func labelTensor(labels []int, device torch.Device) torch.Tensor {
	wide := make([]int64, len(labels))
	for i, y := range labels {
		wide[i] = int64(y)
	}
	return torch.FromSlice(wide).ToDevice(device)
}

// inputs is the number of elements of an example.
func (s *source) inputs() int { return s.train.Numel() / s.train.Size(0) }

// labels is a training set's labels after noise.
type labels struct {
	t        *correction.Matrix
	noisy    []int
	realised *correction.Matrix
	on       torch.Tensor
}

func newLabels(c Config, s *source, rng *rand.Rand) (*labels, error) {
	t, err := transition(c, s.classes)
	if err != nil {
		return nil, err
	}
	noisy, err := t.Corrupt(s.clean, rng)
	if err != nil {
		return nil, err
	}
	realised, err := t.Realised(s.clean, noisy)
	if err != nil {
		return nil, err
	}
	return &labels{t: t, noisy: noisy, realised: realised}, nil
}

// transition is the T that a configuration's noise stands for.
func transition(c Config, classes []string) (*correction.Matrix, error) {
	switch c.Noise.Kind {
	case "symmetric":
		return correction.Symmetric(classes, c.Noise.Level)
	case "asymmetric":
		flips, err := correction.Flips(c.Dataset)
		if err != nil {
			return nil, err
		}
		return correction.Asymmetric(classes, c.Noise.Level, flips)
	case "matrix":
		return readMatrix(c.Noise.File, classes)
	}
	return correction.Identity(classes)
}

// tensor is the noisy labels on a device, made once.
func (l *labels) tensor(device torch.Device) torch.Tensor {
	if !l.on.Defined() {
		l.on = labelTensor(l.noisy, device)
	}
	return l.on
}

func (l *labels) info(used *correction.Matrix) *TransitionInfo {
	return &TransitionInfo{Classes: l.t.Classes(), Nominal: l.t.Rows(), Realised: l.realised.Rows(), Condition: used.Condition()}
}

// fingerprint stands for the contents of the files.
func (s *source) fingerprint() string {
	h := sha256.New()
	for _, f := range s.files {
		fmt.Fprintln(h, f.SHA256)
	}
	return "data " + hex.EncodeToString(h.Sum(nil))[:12]
}
