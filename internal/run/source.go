package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// source is a data set on a device. Runs share it and only read its tensors. It stays
// in memory after its last user, for the next run, until another data set is opened, so
// that memory holds the data of the active runs and at most one more set.
type source struct {
	home       *sources
	users      int           // guarded by home's lock
	drop, gone chan struct{} // closed to request that its tensors are freed; closed when they are
	classes    []string
	groups     []int // group of each class, if classes have groups
	files      []dataset.File
	variant    string            // of the data, if it is not the official files
	skipped    []dataset.Skipped // files that were left out
	repeated   int               // test examples of own data that are training examples, too
	streams    []dataset.Images
	clean      []int     // labels of the training examples before noise
	truth      []int     // their true classes, -1 where not known; nil if the data does not say
	members    []int32   // the group of each training example, nil if there are none
	pairs      [][2]int  // labels of the same examples, true and given, where the data has both
	words      int       // of the vocabulary of texts
	shape      []int     // of an example
	train      train.Set // without labels: each run draws its own
	test       train.Set
	validation *train.Set // nil unless the data set comes with one
	prepare    func(torch.Tensor) torch.Tensor
	input      store.Input // what prepare does, and how examples are read
}

// sources holds the data sets of a Pipeline.
type sources struct {
	sync.Mutex
	opt  dataset.Options             // the options of Preflight
	data map[string]*dataset.Dataset // read, and not on a device yet; at most one
	seen map[string]*dataset.Dataset // the last that came to a device, without its content
	open map[string]*source

	// images says how the examples of a data set become the input of its backbone.
	images map[string]store.Input
}

// source loads a data set for all runs that share data set, device and preprocessing.
// Each call needs one call of close.
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
	if err := inputFits(c, data.Train); err != nil {
		return nil, err
	}
	s := &source{
		classes: data.Classes, groups: data.Groups, files: data.Files, clean: data.Train.Labels, truth: data.Train.Truth,
		pairs:   pairsOf(data),
		members: data.Train.Group, words: len(data.Words),
		shape: data.Train.Shape, variant: data.Variant, skipped: data.Skipped,
		input: inputOf(data), home: all, users: 1, drop: make(chan struct{}), gone: make(chan struct{}),
	}
	if in, ok := all.images[dataKey(c)]; ok {
		s.input = in
	}
	if c.Dataset == dataset.OwnName && c.Folds.Count == 0 {
		s.repeated = check.InTraining(&data.Train, &data.Test)
	}
	seen := *data
	seen.Forget()
	if err := s.open(data, c.Preprocessing, device); err != nil {
		return nil, err
	}
	if all.open == nil {
		all.open = map[string]*source{}
	}
	all.open[key] = s
	delete(all.data, dataKey(c)) // the tensors hold it now
	all.seen = map[string]*dataset.Dataset{dataKey(c): &seen}
	debug.FreeOSMemory() // or it would stay until the heap has twice its size
	return s, nil
}

// open makes the tensors of a data set. They outlive the scope of the run that opens them, so
// they belong to the scope of another goroutine.
func (s *source) open(data *dataset.Dataset, preprocessing string, device torch.Device) error {
	made := make(chan error)
	go func() {
		defer close(s.gone)
		torch.Scope(func() {
			err := guard.Call(func() error {
				return torch.Try(func() error { return s.fill(data, preprocessing, device) })
			})
			data = nil // the tensors hold it now
			made <- err
			if err == nil {
				<-s.drop
				_ = torch.Try(func() error { torch.Synchronize(device); return nil }) // nothing reads on a lost device
			}
		})
	}()
	return <-made
}

// fill makes the tensors of a data set.
func (s *source) fill(data *dataset.Dataset, preprocessing string, device torch.Device) (err error) {
	if s.input.Shift, s.input.Scale, err = moments(preprocessing, data.Train); err != nil {
		return err
	}
	s.prepare = preparation(s.input.Shift, s.input.Scale, data.Train.Halves != nil, device)
	s.train = s.set(data.Train, preprocessing, device)
	s.test = s.labelled(data.Test, preprocessing, device)
	if data.Validation.Len() > 0 {
		own := s.labelled(data.Validation, preprocessing, device)
		s.validation = &own
	}
	torch.Synchronize(device) // the runs have streams of their own
	return nil
}

// pairsOf returns the true and the given labels of the training examples that have both,
// nil if none has.
func pairsOf(data *dataset.Dataset) [][2]int {
	pairs := data.Pairs
	for i, y := range data.Train.Truth {
		if y >= 0 {
			pairs = append(pairs, [2]int{y, data.Train.Labels[i]})
		}
	}
	return pairs
}

// close reports that a run does not need the data any more.
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

// labelled is set with the labels of the data set.
func (s *source) labelled(split dataset.Split, input string, device torch.Device) train.Set {
	set := s.set(split, input, device)
	set.Y = train.Labels(split.Labels, device)
	return set
}

// set puts a split on a device, without labels. Pixels of preprocessing unit become floats,
// which need no further work.
func (s *source) set(split dataset.Split, input string, device torch.Device) train.Set {
	if split.Images != nil {
		s.streams = append(s.streams, split.Images)
	}
	set := train.Examples(split, device)
	if input == config.Unit && set.X.Defined() && set.X.DType() == torch.Uint8 {
		raw := set.X
		set.X = raw.ToDType(torch.Float32)
		raw.Free()
		set.X.MulScalarInPlace(1.0 / 255)
	}
	if set.X.Defined() && s.prepare == nil {
		set.X = train.Compressed(set.X)
	}
	return set
}

// compressed tells whether some of the examples are in compressed rows.
func (s *source) compressed() bool {
	sets := []train.Set{s.train, s.test}
	if s.validation != nil {
		sets = append(sets, *s.validation)
	}
	return slices.ContainsFunc(sets, func(set train.Set) bool { return set.X.Defined() && set.X.IsSparse() })
}

// repeats returns a warning about test examples that are trained on. A few of numbers or short texts may be
// equal by chance.
func (s *source) repeats() []string {
	n := s.test.Len()
	if s.repeated <= n/20 {
		return nil
	}
	return []string{fmt.Sprintf("%d of the %d test examples are training examples, too: the test accuracy is not that "+
		"of new examples; losscorr check with --test lists them", s.repeated, n)}
}

// leftOut returns a warning about files that were left out.
func (s *source) leftOut() []string {
	bad := slices.Clone(s.skipped)
	for _, images := range s.streams {
		bad = append(bad, images.Bad()...)
	}
	dataset.SortSkipped(bad)
	if len(bad) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("left out of the images: %d, which are missing or do not decode: %s", len(bad),
		strings.Join(dataset.SkippedLines(bad), "; "))}
}

// fingerprint returns a hash of the contents of the files.
func (s *source) fingerprint() string {
	h := sha256.New()
	for _, f := range s.files {
		fmt.Fprintln(h, f.SHA256)
	}
	return "data " + hex.EncodeToString(h.Sum(nil))[:12]
}
