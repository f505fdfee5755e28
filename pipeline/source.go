package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

// source is a data set on a device. Runs share it and only read its tensors. It
// stays after its last user for the next run, until another data set is opened:
// so memory holds the data of the runs under way and one set more at most.
type source struct {
	home       *sources
	users      int           // under home's lock
	drop, gone chan struct{} // ask for the end of its tensors; they are freed
	classes    []string
	groups     []int // of the classes, where they come in groups
	files      []dataset.File
	variant    string   // of the data, where it is not the official files
	skipped    []string // files that were left out
	streams    []dataset.Images
	clean      []int        // labels of the training examples before noise
	pairs      [][2]int     // labels of the same examples, true and given, where the data has both
	shape      []int        // of an example
	train      training.Set // without labels: a run draws its own
	test       training.Set
	validation *training.Set // of data sets that come with one
	prepare    func(torch.Tensor) torch.Tensor
}

// sources are the data sets of a Pipeline.
type sources struct {
	sync.Mutex
	opt  dataset.Options             // how Preflight was told to read
	data map[string]*dataset.Dataset // read, and not on a device yet; one at most
	open map[string]*source
}

// source loads a data set for all runs that share it with its device and kind of
// input. Each call is paired with one of close.
func (all *sources) source(c config.Config, device torch.Device) (*source, error) {
	all.Lock()
	defer all.Unlock()
	key := strings.Join([]string{dataKey(c), device.String(), c.Preprocessing}, "\n")
	if s := all.open[key]; s != nil {
		s.users++
		return s, nil
	}
	for other, s := range all.open {
		if s.users == 0 {
			s.free()
			delete(all.open, other)
		}
	}
	data, err := all.dataset(context.Background(), c, all.opt)
	if err != nil {
		return nil, err
	}
	s := &source{
		classes: data.Classes, groups: data.Groups, files: data.Files, clean: data.Train.Labels, pairs: data.Pairs,
		shape: data.Train.Shape, variant: data.Variant, skipped: data.Skipped,
		home: all, users: 1, drop: make(chan struct{}), gone: make(chan struct{}),
	}
	// The tensors belong to a goroutine of their own, for they outlive the scope of
	// the run that opens them: they end with the scope here.
	made := make(chan error)
	go func() {
		defer close(s.gone)
		torch.Scope(func() {
			err := torch.Try(func() error {
				s.prepare = preparation(c.Preprocessing, data.Train, device)
				s.train = s.set(data.Train, c.Preprocessing, device)
				s.test = s.labelled(data.Test, c.Preprocessing, device)
				if data.Validation.Len() > 0 {
					own := s.labelled(data.Validation, c.Preprocessing, device)
					s.validation = &own
				}
				return nil
			})
			data = nil // the tensors hold it now
			made <- err
			if err == nil {
				<-s.drop
			}
		})
	}()
	if err := <-made; err != nil {
		return nil, err
	}
	if all.open == nil {
		all.open = map[string]*source{}
	}
	all.open[key] = s
	delete(all.data, dataKey(c)) // the tensors hold it now
	return s, nil
}

// close says that a run needs the data no more.
func (s *source) close() {
	s.home.Lock()
	defer s.home.Unlock()
	s.users--
}

// free frees the tensors.
func (s *source) free() {
	close(s.drop)
	<-s.gone
}

// labelled is set with the labels of the data.
func (s *source) labelled(split dataset.Split, input string, device torch.Device) training.Set {
	set := s.set(split, input, device)
	set.Y = labelTensor(split.Labels, device)
	return set
}

// set puts a split on a device, without labels: words as their numbers, pixels in [0, 1] as
// floats, since no work is left then, all others as bytes, a quarter of the size.
func (s *source) set(split dataset.Split, input string, device torch.Device) training.Set {
	set := training.Set{
		Index: torch.Arange(0, float64(split.Len()), 1, torch.Options{DType: torch.Int64, Device: device}),
	}
	shape := append([]int{split.Len()}, split.Shape...)
	switch {
	case split.Images != nil:
		s.streams = append(s.streams, split.Images)
		set.Stream = &training.Stream{Shape: split.Shape, Read: split.Images.Batches}
	case split.Tokens != nil:
		set.X = moved(torch.FromSlice(split.Tokens, shape...), device)
	case input == "unit":
		raw := torch.FromSlice(split.X, shape...)
		defer raw.Free()
		set.X = raw.To(torch.Options{DType: torch.Float32, Device: device})
		set.X.MulScalarInPlace(1.0 / 255)
	default:
		set.X = moved(torch.FromSlice(split.X, shape...), device)
	}
	return set
}

func labelTensor(labels []int, device torch.Device) torch.Tensor {
	wide := make([]int64, len(labels))
	for i, y := range labels {
		wide[i] = int64(y)
	}
	return moved(torch.FromSlice(wide), device)
}

// moved is t on a device. It takes t over: on a GPU the host keeps no second copy of a
// data set for as long as the device's is used.
func moved(t torch.Tensor, device torch.Device) torch.Tensor {
	defer t.Free()
	return t.ToDevice(device)
}

// leftOut says in words which files were of no use.
func (s *source) leftOut() []string {
	bad := slices.Clone(s.skipped)
	for _, images := range s.streams {
		bad = append(bad, images.Bad()...)
	}
	slices.Sort(bad)
	if bad = slices.Compact(bad); len(bad) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("left out of the images: %d, which are missing or do not decode: %s", len(bad), strings.Join(bad, "; "))}
}

// inputs is the number of elements of an example.
func (s *source) inputs() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// fingerprint stands for the contents of the files.
func (s *source) fingerprint() string {
	h := sha256.New()
	for _, f := range s.files {
		fmt.Fprintln(h, f.SHA256)
	}
	return "data " + hex.EncodeToString(h.Sum(nil))[:12]
}
