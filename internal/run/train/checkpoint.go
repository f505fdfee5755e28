package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// The checkpoint files in Checkpoints.Dir. LastFile holds everything that a run needs to resume: weights, buffers, the
// optimizer's state, the random streams, the selected weights. PreviousFile is the one before it, in case LastFile is
// damaged. BestFile holds only the selected weights, under PyTorch's names.
const (
	LastFile     = "last.safetensors"
	PreviousFile = "previous.safetensors"
	BestFile     = "best.safetensors"
)

// weights lists the network's current tensors and their values at the selected epoch.
func (s *state) weights() []nn.Parameter {
	var all []nn.Parameter
	for i, p := range s.Model.Parameters() {
		all = append(all, nn.Parameter{Name: "model." + p.Name, Tensor: p.Tensor.Detach()},
			nn.Parameter{Name: "best." + p.Name, Tensor: s.bestOf[i]})
	}
	return all
}

const (
	optimizerPrefix = "optimizer."
	lossPrefix      = "loss."
)

// kept lists the tensors that the loss keeps, by name.
func (s *state) kept() []nn.Parameter {
	loss, ok := s.Loss.(losses.Stateful)
	if !ok {
		return nil
	}
	var all []nn.Parameter
	state := loss.State()
	for _, name := range slices.Sorted(maps.Keys(state)) {
		all = append(all, nn.Parameter{Name: name, Tensor: state[name]})
	}
	return all
}

// checkpoint writes LastFile; the previous one becomes PreviousFile.
func (s *state) checkpoint() error {
	s.saved = time.Now()
	if s.Checkpoints.Dir == "" {
		return nil
	}
	if s.Checkpoints.Guard != nil {
		if err := s.Checkpoints.Guard(); err != nil {
			return err
		}
	}
	var err error
	torch.Scope(func() { err = s.write() })
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	return nil
}

func (s *state) write() error {
	if err := os.MkdirAll(s.Checkpoints.Dir, 0o777); err != nil {
		return err
	}
	position, err := encode(s.position())
	if err != nil {
		return err
	}
	all := map[string]torch.Tensor{}
	for _, p := range s.kept() {
		all[lossPrefix+p.Name] = p.Tensor
	}
	for _, p := range s.weights() {
		all[p.Name] = p.Tensor
	}
	for _, p := range s.Optimizer.State() {
		all[optimizerPrefix+p.Name] = p.Tensor
	}
	last, next := s.path(LastFile), s.path(LastFile+".new")
	err = torch.SaveSafetensors(next, all, map[string]string{
		runKey: s.Checkpoints.Identity, positionKey: position, digestKey: digest(s.Checkpoints.Identity, position, all),
	})
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(next)))
	}
	if !s.damaged {
		if err := ignoreMissing(os.Rename(last, s.path(PreviousFile))); err != nil {
			return err
		}
	}
	s.damaged = false
	return os.Rename(next, last)
}

// The metadata of a checkpoint. The file's checksum covers the elements of its tensors; the digest covers everything
// else.
const (
	runKey      = "run"
	positionKey = "position"
	digestKey   = "digest"
)

func digest(identity, position string, tensors map[string]torch.Tensor) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", identity, position)
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		fmt.Fprintf(h, "%q %v %v\n", name, tensors[name].DType(), tensors[name].Shape())
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (s *state) path(name string) string { return filepath.Join(s.Checkpoints.Dir, name) }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// resume loads the newest intact checkpoint, if there is one, and warns about damaged ones.
func (s *state) resume() error {
	if s.Checkpoints.Dir == "" {
		return nil
	}
	for _, name := range []string{LastFile, PreviousFile} {
		path := s.path(name)
		var err error
		torch.Scope(func() { err = s.read(path) })
		var misfit *misfitError
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.As(err, &misfit):
			return fmt.Errorf("resume from %s: %w; move it away to start again", path, err)
		}
		s.damaged = s.damaged || name == LastFile
		if s.On.Warn != nil {
			s.On.Warn(fmt.Errorf("damaged checkpoint skipped: %w", err))
		}
	}
	return nil
}

// misfitError reports an intact checkpoint that this run cannot use.
type misfitError struct{ error }

func (s *state) read(path string) error {
	loaded, metadata, err := torch.LoadSafetensors(path)
	if err != nil {
		return err
	}
	position, identity := metadata[positionKey], metadata[runKey]
	if digest(identity, position, loaded) != metadata[digestKey] {
		return fmt.Errorf("%s: its header does not match the digest in it", path)
	}
	stood, err := decode(position)
	if err != nil {
		return fmt.Errorf("%s: the position of the run: %w", path, err)
	}
	// Generators of CPUs and GPUs use different methods and cannot take each other's state.
	if now := kindOf(s.Random.Dropout.Device()); stood.Device != now {
		return &misfitError{fmt.Errorf("it was made on %s, and this run is on %s", stood.Device, now)}
	}
	if identity != s.Checkpoints.Identity {
		return &misfitError{fmt.Errorf("it is a checkpoint of run %s, this is run %s", identity, s.Checkpoints.Identity)}
	}
	weights, optimizer, loss := map[string]torch.Tensor{}, map[string]torch.Tensor{}, map[string]torch.Tensor{}
	for name, t := range loaded {
		if rest, ok := strings.CutPrefix(name, optimizerPrefix); ok {
			optimizer[rest] = t
		} else if rest, ok := strings.CutPrefix(name, lossPrefix); ok {
			loss[rest] = t
		} else {
			weights[name] = t
		}
	}
	if err := errors.Join(nn.LoadState(s.weights(), weights), s.Optimizer.LoadState(optimizer),
		nn.LoadState(s.kept(), loss)); err != nil {
		return &misfitError{err}
	}
	s.at = stood.Progress
	s.Random.Dropout.Restore(stood.Dropout)
	if s.Random.Augment != nil {
		s.Random.Augment.Restore(stood.Augment)
	}
	return nil
}

// kindOf returns cpu or cuda.
func kindOf(d torch.Device) string {
	kind, _, _ := strings.Cut(d.String(), ":")
	return kind
}

// position is the part of a checkpoint that is not tensors. It is encoded with gob, since JSON has no infinite numbers.
type position struct {
	Progress         progress
	Device           string // cpu or cuda, the kind of the streams
	Dropout, Augment []byte
}

func (s *state) position() position {
	p := position{Progress: s.at, Device: kindOf(s.Random.Dropout.Device()), Dropout: s.Random.Dropout.State()}
	if s.Random.Augment != nil {
		p.Augment = s.Random.Augment.State()
	}
	return p
}

func encode(p position) (string, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(p)
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

func decode(text string) (p position, err error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return p, err
	}
	return p, gob.NewDecoder(bytes.NewReader(raw)).Decode(&p)
}

// export writes BestFile.
func (s *state) export() error {
	if s.Checkpoints.Dir == "" {
		return nil
	}
	named := map[string]torch.Tensor{}
	for _, p := range s.Model.Parameters() {
		named[p.Name] = p.Tensor
	}
	var err error
	torch.Scope(func() { err = torch.SaveSafetensors(s.path(BestFile), named, s.Checkpoints.Metadata) })
	if err != nil {
		return fmt.Errorf("write the selected weights: %w", err)
	}
	return nil
}
