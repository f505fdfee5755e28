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

// features replaces the examples of a data set by their features. These are cached under the hash of each image's or
// text's content, so only new or changed examples are computed. What was computed before a stop is kept.
func (b *backbone) features(ctx context.Context, d *dataset.Dataset, progress progressFunc) error {
	dir, err := featureFolder()
	if err != nil {
		return err
	}
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

// cached computes the features of one split.
type cached struct {
	*backbone
	ctx      context.Context
	rows     *rowcache.Cache
	progress progressFunc
	total    int
	model    nn.Module          // nil until something must be computed
	name     func(k int) string // describes an example in errors

	workers *errgroup.Group // one batch each; the mutex guards rows, progress and done
	mutex   sync.Mutex
	done    int // examples computed or found in the cache
}

// replace replaces the examples of a split by their features. If several processes need the same encoder's features,
// one computes them and the others wait.
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
			if failed := w.workers.Wait(); failed != nil { // the first error, which caused err
				err = failed
			}
			switch {
			case ctx.Err() != nil:
				err = context.Cause(ctx)
			case err == nil && w.done > 0 && w.done < w.total: // some examples are duplicates
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

// parallel returns the number of batches computed at a time: one per core for known networks. A network from a file may
// not be made for that, and uses all cores for each batch.
func (b *backbone) parallel() int {
	if b.encoder.Name == "" || b.device.IsCUDA() {
		return 1
	}
	return runtime.NumCPU()
}

// rowsName returns the name of the feature file, which identifies how they were computed.
func (b *backbone) rowsName() string {
	sum := sha256.Sum256(fmt.Appendln(nil, "features 3", b.sum, b.side, b.precision()))
	return hex.EncodeToString(sum[:])[:32] + ".rows"
}

// splitName returns the name of the list of keys of streamed images, a hash of their files and names.
func splitName(rows string, s dataset.Split, content []dataset.File) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v\n%q\n", rows, s.Shape, content, s.IDs))
	return hex.EncodeToString(sum[:])[:32] + ".keys"
}

// read reads the examples' rows from the file.
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

// images computes missing features of images, and returns the keys of all. The keys of streamed images are saved in
// list, so that images need not be decoded if all features are there.
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

// listed returns the saved keys of streamed images if all their rows are there, else nil.
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

// list saves the keys of streamed images. If some do not decode it saves nothing, so that the next run reports them
// again.
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

// texts computes missing features of texts, batching texts of equal length, and returns the keys of all.
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
	// Longest first: what needs most memory fails at once, and the time left is not underestimated.
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

// batch is a number of examples whose features are computed together.
type batch struct {
	keys  []rowcache.Key
	at    []int // their numbers
	input func() torch.Tensor
}

// compute has the next free worker compute and cache the features of a batch.
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

// forward computes and caches the features of a batch.
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

// has reports whether the features for a key are cached, and counts them if so.
func (w *cached) has(key rowcache.Key) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.rows.Has(key) {
		return false
	}
	w.done++
	return true
}

// tell reports how many examples have features.
func (w *cached) tell() {
	if w.progress != nil {
		w.progress("features", w.done, w.total)
	}
}
