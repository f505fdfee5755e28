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
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Pipeline executes the runs of a process, which share the data they read. The zero value is ready to use,
// concurrently.
type Pipeline struct {
	mutex sync.Mutex
	opt   dataset.Options // the options of Preflight
	read  loaded          // the last data read, if not yet on a device
	open  map[string]*source
}

// loaded is a data set as read, with its examples in the form that networks take.
type loaded struct {
	*dataset.Dataset
	key   string      // see dataKey
	input store.Input // how examples become the input of a network
}

// source is a data set on a device. Runs share its tensors and only read them. After its last user it stays in memory
// for the next run until another data set is opened, so memory holds the data of the active runs and at most one more
// set.
type source struct {
	loaded     // without the content of the examples
	home       *Pipeline
	users      int                             // guarded by home's mutex
	drop, gone chan struct{}                   // closed to have its tensors freed; closed once they are
	sets       train.Data                      // Train has no labels: each run draws its own
	prepare    func(torch.Tensor) torch.Tensor // from stored examples to the input
	repeated   int                             // test examples of own data that are also training examples
}

func dataKey(c config.Config) string { return fmt.Sprintf("%s\n%s\n%+v", c.Dataset, c.Data, c.Source) }

// Hold gives the pipeline own data already read, so that the runs of a configuration do not read it again. It does
// nothing if they use features of a backbone or view.
func (p *Pipeline) Hold(c config.Config, d *dataset.Dataset) {
	if c.Source.Backbone != "" || c.Source.View != "" {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.read = loaded{d, dataKey(c), inputOf(d)}
}

// dataset returns the data set of a configuration, and reads it unless it was the last one read. Data on a device comes
// without its content.
func (p *Pipeline) dataset(ctx context.Context, c config.Config, opt dataset.Options) (*dataset.Dataset, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, s := range p.open {
		if s.key == dataKey(c) {
			return s.Dataset, nil
		}
	}
	l, err := p.load(ctx, c, opt)
	return l.Dataset, err
}

// load reads a data set. The caller holds the mutex.
func (p *Pipeline) load(ctx context.Context, c config.Config, opt dataset.Options) (l loaded, err error) {
	if l.key = dataKey(c); l.key == p.read.key {
		return p.read, nil
	}
	opt.Root = c.Data
	switch {
	case encoded(c):
		l.Dataset, l.input, err = withFeatures(ctx, c, opt)
	case c.Source.View != "":
		l.Dataset, l.input, err = viewed(ctx, c, opt)
	default:
		if c.DataEntry().Own {
			l.Dataset, err = own.Read(ctx, c.Source, opt)
		} else {
			l.Dataset, err = published.OpenContext(ctx, c.Dataset, opt)
		}
		if err == nil {
			l.input = inputOf(l.Dataset)
		}
	}
	switch {
	case err == nil:
		p.read = l
	case ctx.Err() == nil:
		err = dataset.Errorf("%w", err)
	}
	return l, err
}

// source loads a data set for all runs with the same data set, device and preprocessing. Each call needs one call of
// close.
func (p *Pipeline) source(c config.Config, device torch.Device) (*source, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	key := strings.Join([]string{dataKey(c), device.String(), c.Preprocessing}, "\n")
	if s := p.open[key]; s != nil {
		s.users++
		return s, nil
	}
	for other, s := range p.open {
		if s.users == 0 {
			s.free()
			delete(p.open, other)
		}
	}
	l, err := p.load(context.Background(), c, p.opt)
	if err != nil {
		return nil, err
	}
	if err := inputFits(c, l.Train); err != nil {
		return nil, err
	}
	known := *l.Dataset
	known.Forget()
	s := &source{loaded: loaded{&known, l.key, l.input}, home: p, users: 1, drop: make(chan struct{}),
		gone: make(chan struct{})}
	if c.Dataset == dataset.OwnName && c.Folds.Count == 0 {
		s.repeated = check.InTraining(&l.Train, &l.Test)
	}
	if err := s.open(l.Dataset, c.Preprocessing, device); err != nil {
		return nil, err
	}
	if p.open == nil {
		p.open = map[string]*source{}
	}
	p.open[key], p.read = s, loaded{} // now in the tensors
	debug.FreeOSMemory()              // otherwise it stays until the heap doubles
	return s, nil
}

// open makes the tensors of a data set. They outlive the scope of the run that opens them, so they belong to another
// goroutine's scope.
func (s *source) open(data *dataset.Dataset, preprocessing string, device torch.Device) error {
	made := make(chan error)
	go func() {
		defer close(s.gone)
		torch.Scope(func() {
			err := guard.Call(func() error {
				return torch.Try(func() error { return s.fill(data, preprocessing, device) })
			})
			data = nil // now in the tensors
			made <- err
			if err == nil {
				<-s.drop
				_ = torch.Try(func() error { torch.Synchronize(device); return nil }) // a lost device has no readers
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
	s.sets.Train = s.set(data.Train, preprocessing, device)
	s.sets.Test = s.labelled(data.Test, preprocessing, device)
	if data.Validation.Len() > 0 {
		s.sets.Validation = s.labelled(data.Validation, preprocessing, device)
	}
	torch.Synchronize(device) // the runs use other streams
	return nil
}

// pairsOf returns the true and given labels of the training examples that have both, nil if none do.
func pairsOf(data *dataset.Dataset) [][2]int {
	pairs := slices.Clip(data.Pairs)
	for i, y := range data.Train.Truth {
		if y >= 0 {
			pairs = append(pairs, [2]int{y, data.Train.Labels[i]})
		}
	}
	return pairs
}

// close reports that a run no longer needs the data.
func (s *source) close() {
	s.home.mutex.Lock()
	defer s.home.mutex.Unlock()
	s.users--
}

// free frees the tensors.
func (s *source) free() {
	close(s.drop)
	<-s.gone
}

// labelled is set with the data set's labels.
func (s *source) labelled(split dataset.Split, input string, device torch.Device) train.Set {
	set := s.set(split, input, device)
	set.Y = train.Labels(split.Labels, device)
	return set
}

// set puts a split on a device, without labels. With preprocessing unit, pixels become floats and need no further work.
func (s *source) set(split dataset.Split, input string, device torch.Device) train.Set {
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

// compressed reports whether any of the examples are in compressed rows.
func (s *source) compressed() bool {
	return slices.ContainsFunc([]train.Set{s.sets.Train, s.sets.Validation, s.sets.Test}, func(set train.Set) bool {
		return set.X.Defined() && set.X.IsSparse()
	})
}

// warnings reports files that were left out, and test examples that are trained on. A few rows of numbers or short
// texts may be equal by chance.
func (s *source) warnings() (warnings []string) {
	bad := slices.Clone(s.Skipped)
	for _, split := range s.Splits() {
		if split.Images != nil {
			bad = append(bad, split.Images.Bad()...)
		}
	}
	dataset.SortSkipped(bad)
	if len(bad) > 0 {
		warnings = append(warnings, fmt.Sprintf("images left out: %d, which are missing or do not decode: %s",
			len(bad), strings.Join(dataset.SkippedLines(bad), "; ")))
	}
	if n := s.Test.Len(); s.repeated > n/20 {
		warnings = append(warnings, fmt.Sprintf("%d of the %d test examples are also training examples, so the test "+
			"accuracy does not hold for new examples; losscorr check with --test lists them", s.repeated, n))
	}
	return warnings
}

// fingerprint returns a hash of the files' contents.
func (s *source) fingerprint() string {
	h := sha256.New()
	for _, f := range s.Files {
		fmt.Fprintln(h, f.SHA256)
	}
	return "data " + hex.EncodeToString(h.Sum(nil))[:12]
}
