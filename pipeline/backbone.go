package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/models/encoders"
	"github.com/losscorr/losscorr/pipeline/views"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
)

// backbone is a pretrained network that is not trained further: its outputs for images
// are the features of the examples.
type backbone struct {
	own.Source
	sum    string // hash of its file
	side   int    // height and width of its images
	batch  int    // images at a time
	device torch.Device

	encoder encoders.Entry // where it is one that the program knows
}

// featureBatch is the number of images of which features are computed at a time.
const featureBatch = 32

// imageSide is the height and width of the images on which published networks were
// trained.
const imageSide = 224

// describeBackbone reads what the backbone of a source takes.
func describeBackbone(s own.Source, device torch.Device) (*backbone, error) {
	b := &backbone{Source: s, side: cmp.Or(s.Side, imageSide), batch: featureBatch, device: device}
	var err error
	if name := views.All.Named(s.View).Encoder; name != "" {
		b.encoder = encoders.All.Named(name)
		b.side, b.sum = s.Side, b.encoder.SHA256
		b.Backbone, err = b.encoder.Path()
		return b, err
	}
	if b.sum, err = files.SHA256(s.Backbone); err != nil {
		return nil, err
	}
	if config.Exported(s.Backbone) {
		d, err := export.Describe(s.Backbone)
		if err != nil {
			return nil, err
		}
		in := d.Input.Shape
		if len(in) != 4 || in[1] != 3 || in[2] != in[3] || !d.Input.DType.IsFloat() {
			return nil, fmt.Errorf("%s takes %s: a backbone takes square images, [batch 3 H H] float32", s.Backbone, d.Input)
		}
		if in[2] > 0 && s.Side != 0 && s.Side != in[2] {
			return nil, config.NewError(config.Problem{Key: "source.side", Text: fmt.Sprintf("%d, and %s was exported for images of %d x %d", s.Side, s.Backbone, in[2], in[2])})
		}
		if in[2] > 0 {
			b.side = in[2]
		}
		if d.Input.MaxBatch > 0 {
			b.batch = min(b.batch, d.Input.MaxBatch)
		}
	}
	return b, nil
}

// chooseSide sets the side of the images where nobody says it: an encoder takes small ones smaller,
// since their pixels tell no more.
func (b *backbone) chooseSide(ctx context.Context) error {
	if b.side > 0 {
		return nil
	}
	side, err := b.ImageSide(ctx)
	if b.side = b.encoder.Side; side > 0 && side <= b.encoder.Small {
		b.side = b.encoder.Small
	}
	return err
}

// load returns the network, which belongs to the current scope.
func (b *backbone) load() (nn.Module, error) {
	if b.encoder.Name != "" {
		return b.encoder.Load(b.Backbone, nn.Init{Rand: rand.New(rand.NewPCG(0, 0)), Device: b.device})
	}
	if config.Exported(b.Backbone) {
		return export.Load(b.Backbone, export.Options{Device: b.device})
	}
	var failed error
	var tried []string
	for _, entry := range models.All {
		if entry.Features == nil {
			continue
		}
		model, err := entry.Features(nn.Init{Rand: rand.New(rand.NewPCG(0, 0)), Device: b.device})
		if err == nil {
			err = models.LoadWeights(model, b.Backbone, "fc")
		}
		if err == nil {
			return model, nil
		}
		failed, tried = err, append(tried, entry.Title)
	}
	return nil, fmt.Errorf("%s is not of a network that is known by its weights, which are %v; write another with torch.export.save as FILE.pt2: %w", b.Backbone, tried, failed)
}

// progressFunc tells how far a computation is; nil tells nobody.
type progressFunc func(what string, done, total int)

// features replaces the images of a data set by their features, which are kept in the
// user's cache folder, so that they are computed once.
func (b *backbone) features(ctx context.Context, d *dataset.Dataset, progress progressFunc) error {
	dir, remove, err := featureFolder()
	if err != nil {
		return err
	}
	defer remove()
	var content []dataset.File // of the images, without their labels
	for _, f := range d.Files {
		if f.Path != b.Labels && f.Path != b.TestLabels {
			content = append(content, f)
		}
	}
	for _, split := range []*dataset.Split{&d.Train, &d.Validation, &d.Test} {
		if split.Len() == 0 {
			continue
		}
		if err := b.replace(ctx, split, filepath.Join(dir, b.key(*split, content)+".npy"), progress); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces images by their features, which are in a file or get there.
func (b *backbone) replace(ctx context.Context, s *dataset.Split, path string, progress progressFunc) error {
	if _, err := os.Stat(path); err != nil {
		if err := b.write(ctx, path, *s, progress); err != nil {
			return err
		}
	}
	values, columns, err := readFeatures(path, s.Len())
	if err != nil {
		return fmt.Errorf("%w: remove it, and the features are computed again", err)
	}
	s.X, s.Images = nil, nil
	s.Features, s.Shape = values, []int{columns}
	return nil
}

func readFeatures(path string, rows int) (values []float32, columns int, err error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer a.Close()
	if len(a.Shape) != 2 || a.Shape[0] != rows {
		return nil, 0, fmt.Errorf("%s is an array %v, for %d images", path, a.Shape, rows)
	}
	values, err = a.Float32s()
	return values, a.Shape[1], err
}

// featureFolder returns the folder of the features: a temporary one, which remove removes,
// where the system has no cache folder.
func featureFolder() (dir string, remove func(), err error) {
	if cache, none := os.UserCacheDir(); none == nil {
		dir = filepath.Join(cache, "losscorr", "features")
		if os.MkdirAll(dir, 0o755) == nil {
			return dir, func() {}, nil
		}
	}
	dir, err = os.MkdirTemp("", "losscorr-features-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// key is the name of the features of some images, by their content; of images that are
// streamed, by the hashes of their files and their names.
func (b *backbone) key(s dataset.Split, content []dataset.File) string {
	h := sha256.New()
	fmt.Fprintln(h, "features 2", b.sum, b.side, s.Shape, s.Len())
	if s.Images != nil {
		fmt.Fprintf(h, "%v\n%q\n", content, s.IDs)
	}
	h.Write(s.X)
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// write computes the features of all images into a file that gets its name when it is
// complete. A computation that was stopped resumes. Of several processes that want the
// same features, one computes them and the others wait.
func (b *backbone) write(ctx context.Context, path string, s dataset.Split, progress progressFunc) error {
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, 200*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() {
		_ = lock.Unlock()
		_ = os.Remove(lock.Path())
	}()
	if _, err := os.Stat(path); err == nil {
		return nil // of another process
	}
	err := torch.Try(func() (err error) {
		torch.Scope(func() {
			torch.SetThreads(runtime.NumCPU())
			defer torch.SetThreads(1)
			err = b.compute(ctx, path+".part", s, progress)
		})
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

func (b *backbone) compute(ctx context.Context, path string, s dataset.Split, progress progressFunc) (err error) {
	model, err := b.load()
	if err != nil {
		return err
	}
	prepare := b.preparation()
	var part *npy.Part
	defer func() {
		if part != nil {
			err = errors.Join(err, part.Sync(), part.Close())
		}
	}()
	// The first image tells the number of features, and with it how many are there.
	for from, upTo := 0, 1; from < s.Len(); upTo = s.Len() {
		for pixels, failed := range imagesFrom(s, from, upTo, b.batch) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if failed != nil {
				return failed
			}
			n := len(pixels) / elements(s.Shape)
			var out []float32
			torch.Scope(func() {
				x := torch.FromSlice(pixels, append([]int{n}, s.Shape...)...).ToDevice(b.device)
				torch.NoGrad(func() { out = torch.Slice[float32](model.Forward(b.input(prepare(x)), nn.Eval)) })
			})
			if k := slices.IndexFunc(out, notFinite); k >= 0 {
				return fmt.Errorf("%s returns %v for image %s: it does not fit images of mean 0 and standard deviation 1", b.Backbone, out[k], s.ID(from+k*n/len(out)))
			}
			if part == nil {
				if part, err = npy.OpenPart(path, s.Len(), len(out)); err != nil {
					return err
				}
				from = part.Rows()
				break
			}
			if err := part.Append(out); err != nil {
				return fmt.Errorf("write the features: %w", err)
			}
			from += n
			if progress != nil {
				progress("features", from, s.Len())
			}
		}
	}
	return nil
}

// preparation returns the function from pixels to what the network was trained on.
func (b *backbone) preparation() func(torch.Tensor) torch.Tensor {
	if e := b.encoder; e.Name != "" {
		one := func(v float64) *store.Constant { return &store.Constant{Shape: []int{1}, Values: []float64{v}} }
		return preparation(one(e.Shift), one(1/e.Scale), false, b.device)
	}
	shift, scale, _ := moments("imagenet", dataset.Split{})
	return preparation(shift, scale, false, b.device)
}

func notFinite(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }

// input brings images, of which arrays have their own size, to that of the network.
func (b *backbone) input(x torch.Tensor) torch.Tensor {
	if x.Size(2) != b.side || x.Size(3) != b.side {
		x = x.Upsample(torch.UpsampleOptions{Height: b.side, Width: b.side, Mode: torch.Bilinear})
	}
	return x
}

// imagesFrom yields the bytes of the images from one number up to another.
func imagesFrom(s dataset.Split, from, upTo, batch int) iter.Seq2[[]byte, error] {
	if s.Images != nil {
		rows := make([]int64, upTo-from)
		for k := range rows {
			rows[k] = int64(from + k)
		}
		return s.Images.Batches(rows, batch)
	}
	each := elements(s.Shape)
	return func(yield func([]byte, error) bool) {
		for k := from; k < upTo; k += batch {
			if !yield(s.X[k*each:min(k+batch, upTo)*each], nil) {
				return
			}
		}
	}
}

// about is what a run keeps of the backbone, so that new images are judged as those of the
// training.
func (b *backbone) about(features []int) *store.Backbone {
	return &store.Backbone{Path: b.Backbone, SHA256: b.sum, Features: features[0], Side: b.side}
}

// ofNew replaces new images by their features, by the backbone that a run was trained on.
func (b *backbone) ofNew(ctx context.Context, s *dataset.Split, was store.Backbone, progress progressFunc) error {
	b.side = cmp.Or(was.Side, b.side)
	if b.sum != was.SHA256 {
		return fmt.Errorf("%s is another file than that of the training: put the old one back, or train again", b.Backbone)
	}
	dir, err := os.MkdirTemp("", "losscorr-features-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	return b.replace(ctx, s, filepath.Join(dir, "features.npy"), progress)
}
