package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rowcache"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// features replaces the examples of a data set by their features. Those of each image or text are
// kept in the user's cache folder, under the hash of its content: an example that is new or was
// changed is computed, and no other. What was computed before a stop stays.
func (b *backbone) features(ctx context.Context, d *dataset.Dataset, progress progressFunc) error {
	dir, remove, err := featureFolder()
	if err != nil {
		return err
	}
	defer remove()
	var content []dataset.File // of the examples, without their labels
	for _, f := range d.Files {
		if f.Path != b.Labels && f.Path != b.TestLabels {
			content = append(content, f)
		}
	}
	for _, split := range d.Splits() {
		if split.Len() == 0 {
			continue
		}
		if err := b.replace(ctx, split, dir, content, progress); err != nil {
			return err
		}
	}
	return nil
}

// cached is the work on the features of one split.
type cached struct {
	*backbone
	ctx      context.Context
	rows     *rowcache.Cache
	progress progressFunc
	total    int
	model    nn.Module          // nil as long as nothing has to be computed
	name     func(k int) string // of an example, for people

	workers *errgroup.Group // one batch each; rows, progress and done are guarded by the mutex
	mutex   sync.Mutex
	done    int // examples that are computed, or were there
}

// replace replaces the examples of a split by their features. Of several processes that want
// features of the same encoder, one computes them and the others wait.
func (b *backbone) replace(ctx context.Context, s *dataset.Split, dir string, content []dataset.File,
	progress progressFunc) error {
	path := filepath.Join(dir, b.rowsName())
	lock, err := files.Lock(ctx, path+".lock", nil)
	if err != nil {
		return err
	}
	defer func() {
		_ = lock.Unlock()
		_ = os.Remove(lock.Path())
	}()
	rows, err := rowcache.Open(path)
	if err != nil {
		return err
	}
	w := &cached{backbone: b, ctx: ctx, rows: rows, progress: progress, total: s.Len()}
	var keys []rowcache.Key
	err = torch.Try(func() (err error) {
		torch.Scope(func() {
			w.workers, w.ctx = errgroup.WithContext(ctx)
			w.workers.SetLimit(b.parallel())
			if s.Texts != nil {
				keys, err = w.texts(s.Texts)
			} else {
				keys, err = w.images(*s, filepath.Join(dir, splitName(b.rowsName(), *s, content)))
			}
			if failed := w.workers.Wait(); failed != nil { // the first error, of which err is an effect
				err = failed
			}
			switch {
			case ctx.Err() != nil:
				err = context.Cause(ctx)
			case err == nil && w.done > 0 && w.done < w.total: // some examples are the same
				w.done = w.total
				w.tell()
			}
		})
		return err
	})
	torch.TrimHost()
	if err == nil {
		err = w.read(s, keys)
	}
	return errors.Join(err, rows.Close())
}

// parallel is how many batches are computed at a time: one for each core by the networks that are known.
// One of a file may not be made for that, and takes all cores for its batch.
func (b *backbone) parallel() int {
	if b.encoder.Name == "" || b.device.IsCUDA() {
		return 1
	}
	return runtime.NumCPU()
}

// rowsName is the name of the file of the features: it says by what they were computed.
func (b *backbone) rowsName() string {
	sum := sha256.Sum256(fmt.Appendln(nil, "features 3", b.sum, b.side, b.precision()))
	return hex.EncodeToString(sum[:])[:32] + ".rows"
}

// splitName is the name of the list of keys of images that are streamed, by the hashes of their files
// and their names.
func splitName(rows string, s dataset.Split, content []dataset.File) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v\n%q\n", rows, s.Shape, content, s.IDs))
	return hex.EncodeToString(sum[:])[:32] + ".keys"
}

// read takes the rows of the examples from the file.
func (w *cached) read(s *dataset.Split, keys []rowcache.Key) error {
	columns := w.rows.Columns()
	values := make([]float32, len(keys)*columns)
	for k, key := range keys {
		if err := w.rows.Get(key, values[k*columns:(k+1)*columns]); err != nil {
			return err
		}
	}
	s.X, s.Images, s.Texts = nil, nil, nil
	s.Features, s.Shape = values, []int{columns}
	return nil
}

// images computes the features of the images that have none, and returns the keys of all. list is
// where the keys of streamed images are kept, so that those that are all there need not be decoded.
func (w *cached) images(s dataset.Split, list string) ([]rowcache.Key, error) {
	if keys := w.listed(s, list); keys != nil {
		return keys, nil
	}
	w.tell()
	each := s.Size()
	var keys, wanted []rowcache.Key
	var pixels []byte
	var at []int
	w.name = func(k int) string { return "image " + s.ID(k) }
	flush := func() error {
		x := pixels
		b := batch{keys: wanted, at: at, input: func() torch.Tensor {
			return torch.FromSlice(x, append([]int{len(x) / each}, s.Shape...)...)
		}}
		wanted, at, pixels = nil, nil, nil
		return w.compute(b)
	}
	most := w.imagesAtATime()
	for batch, err := range imagesFrom(s, most) {
		if err != nil {
			return nil, err
		}
		for ; len(batch) > 0; batch = batch[each:] {
			key := rowcache.KeyOf(batch[:each])
			keys = append(keys, key)
			if w.has(key) || slices.Contains(wanted, key) {
				continue
			}
			wanted, at, pixels = append(wanted, key), append(at, len(keys)-1), append(pixels, batch[:each]...)
			if len(wanted) == most {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return keys, w.list(s, list, keys)
}

// listed returns the keys of streamed images that were listed and whose rows are all there, or nil.
func (w *cached) listed(s dataset.Split, path string) []rowcache.Key {
	if s.Images == nil {
		return nil
	}
	data, err := os.ReadFile(path)
	size := len(rowcache.Key{})
	if err != nil || len(data) != size*s.Len() {
		return nil
	}
	keys := make([]rowcache.Key, s.Len())
	for k := range keys {
		if keys[k] = rowcache.Key(data[k*size:]); !w.rows.Has(keys[k]) {
			return nil
		}
	}
	return keys
}

// list writes the keys of streamed images. Those with images that do not decode are not listed, so
// that these are found and named again.
func (w *cached) list(s dataset.Split, path string, keys []rowcache.Key) error {
	if s.Images == nil || len(s.Images.Bad()) > 0 {
		return nil
	}
	var data []byte
	for _, key := range keys {
		data = append(data, key[:]...)
	}
	return os.WriteFile(path, data, 0o644)
}

// texts computes the features of the texts that have none, those of equal length together, and returns
// the keys of all.
func (w *cached) texts(texts []string) ([]rowcache.Key, error) {
	keys := make([]rowcache.Key, len(texts))
	seen := map[rowcache.Key]bool{}
	var wanted []int
	for k, text := range texts {
		if keys[k] = rowcache.KeyOf([]byte(text)); !w.rows.Has(keys[k]) && !seen[keys[k]] {
			seen[keys[k]] = true
			wanted = append(wanted, k)
		}
	}
	w.done = len(texts) - len(wanted)
	if len(wanted) == 0 {
		return keys, nil
	}
	w.tell()
	words, err := w.encoder.Words()
	if err != nil {
		return nil, err
	}
	w.name = func(k int) string { return fmt.Sprintf("text %d", k+1) }
	tokens := make([][]int64, len(texts))
	for _, k := range wanted {
		tokens[k] = words.IDs(texts[k], w.encoder.Tokens)
	}
	// The longest first: what needs most memory fails at once, and the time that is left is not
	// underestimated.
	slices.SortStableFunc(wanted, func(a, b int) int { return cmp.Compare(len(tokens[b]), len(tokens[a])) })
	for chunk := range slices.Chunk(wanted, w.batch) {
		length := len(tokens[chunk[0]])
		ids := make([]int64, len(chunk)*length)
		b := batch{at: chunk, input: func() torch.Tensor { return torch.FromSlice(ids, len(chunk), length) }}
		for i, k := range chunk {
			copy(ids[i*length:], tokens[k])
			b.keys = append(b.keys, keys[k])
		}
		if err := w.compute(b); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// batch is examples whose features are computed together.
type batch struct {
	keys  []rowcache.Key
	at    []int // their numbers
	input func() torch.Tensor
}

// compute has the features of a batch computed and kept, by the next worker that is free.
func (w *cached) compute(b batch) (err error) {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if len(b.keys) == 0 {
		return nil
	}
	if w.model == nil {
		if w.model, err = w.load(); err != nil {
			return err
		}
		if w.precision() != torch.Float32 {
			w.model = nn.Autocast{Module: w.model, Device: w.device, DType: w.precision()}
		}
	}
	w.workers.Go(func() error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return torch.Try(func() (err error) {
			torch.SetThreads(runtime.NumCPU() / w.parallel())
			defer torch.SetThreads(1)
			torch.Scope(func() { torch.NoGrad(func() { err = w.forward(b) }) })
			return err
		})
	})
	return nil
}

// forward computes the features of a batch and keeps them.
func (w *cached) forward(b batch) error {
	out := torch.Slice[float32](w.model.Forward(w.preparation()(b.input().ToDevice(w.device)), nn.Eval))
	// NaN and infinity minus themselves are not 0.
	if k := slices.IndexFunc(out, func(v float32) bool { return v-v != 0 }); k >= 0 {
		return fmt.Errorf("%s returns %v for %s: it does not fit images of mean 0 and standard deviation 1", w.Backbone,
			out[k], w.name(b.at[k*len(b.keys)/len(out)]))
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	columns := len(out) / len(b.keys)
	for k, key := range b.keys {
		if err := w.rows.Put(key, out[k*columns:(k+1)*columns]); err != nil {
			return fmt.Errorf("write the features: %w", err)
		}
	}
	w.done += len(b.keys)
	w.tell()
	return nil
}

// has tells whether the features of a key are there, and counts them.
func (w *cached) has(key rowcache.Key) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.rows.Has(key) {
		return false
	}
	w.done++
	return true
}

// tell reports how many examples have their features.
func (w *cached) tell() {
	if w.progress != nil {
		w.progress("features", w.done, w.total)
	}
}
