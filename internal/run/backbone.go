package run

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
)

// backbone is a pretrained network that is not trained further. Its outputs for images or texts are the features of the
// examples.
type backbone struct {
	own.Source
	sum    string // hash of its file
	side   int    // height and width of its images
	batch  int    // images at a time
	device torch.Device

	encoder encoders.Entry // if it is a known one
}

// featureBatch is the number of texts, or of images of up to sideOfBatch pixels, in a batch. Batches of larger images
// are smaller, since a network needs memory for each pixel.
const (
	featureBatch = 32
	sideOfBatch  = 128
)

// imageSide is the height and width of the images that published networks were trained on.
const imageSide = 224

// describeBackbone reads what input a source's backbone takes.
func describeBackbone(s own.Source, device torch.Device) (*backbone, error) {
	b := &backbone{Source: s, side: cmp.Or(s.Side, imageSide), batch: featureBatch, device: device}
	var err error
	if name := views.All.Named(s.View).Encoder; name != "" {
		b.encoder = encoders.All.Named(name)
		b.side = s.Side
		b.Backbone, b.sum, err = b.encoder.Weights()
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
			return nil, fmt.Errorf("%s takes %s; a backbone must take square images, [batch 3 H H] float32", s.Backbone, d.Input)
		}
		if in[2] > 0 && s.Side != 0 && s.Side != in[2] {
			return nil, config.NewError(config.Problem{Key: "source.side", Text: fmt.Sprintf("%d, but %s was exported for "+
				"images of %d x %d", s.Side, s.Backbone, in[2], in[2])})
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

// chooseSide sets the side of the images if it is not given. Small images get a smaller one, since enlarging them adds
// no information.
func (b *backbone) chooseSide(ctx context.Context) error {
	if b.side > 0 || b.encoder.Data == dataset.Text {
		return nil
	}
	side, err := b.ImageSide(ctx)
	if b.side = b.encoder.Side; side > 0 && side <= b.encoder.Small {
		b.side = b.encoder.Small
	}
	return err
}

// imagesAtATime returns the number of images in a batch.
func (b *backbone) imagesAtATime() int {
	side := max(b.side, sideOfBatch)
	return max(1, b.batch*sideOfBatch*sideOfBatch/(side*side))
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
	return nil, fmt.Errorf("%s has the weights of none of the networks %v; write another network with torch.export.save "+
		"as FILE.pt2: %w", b.Backbone, tried, failed)
}

// precision returns the dtype of the computation. Encoders use bfloat16 if the device has it, which is twice as fast.
// Networks from files may not be made for that.
func (b *backbone) precision() torch.DType {
	if b.encoder.Name == "" || torch.CheckPrecision(b.device, torch.BFloat16) != nil {
		return torch.Float32
	}
	return torch.BFloat16
}

// progressFunc reports the progress of a computation; it may be nil.
type progressFunc func(what string, done, total int)

// featureFolder returns the folder of cached features.
func featureFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "losscorr", "features")
	return dir, os.MkdirAll(dir, 0o755)
}

// preparation returns the function from pixels to the input that the network was trained on. Tokens stay unchanged.
func (b *backbone) preparation() func(torch.Tensor) torch.Tensor {
	if b.encoder.Data == dataset.Text {
		return func(x torch.Tensor) torch.Tensor { return x }
	}
	shift, scale, _ := moments("imagenet", dataset.Split{})
	if e := b.encoder; e.Name != "" {
		one := func(v float64) *store.Constant { return &store.Constant{Shape: []int{1}, Values: []float64{v}} }
		shift, scale = one(e.Shift), one(1/e.Scale)
	}
	normalise := preparation(shift, scale, false, b.device)
	return func(x torch.Tensor) torch.Tensor { // arrays keep their images' size
		if x = normalise(x); x.Size(2) != b.side || x.Size(3) != b.side {
			x = x.UpsampleBilinear(b.side, b.side)
		}
		return x
	}
}

// imagesFrom yields the bytes of all images.
func imagesFrom(s dataset.Split, batch int) iter.Seq2[[]byte, error] {
	if s.Images != nil {
		rows := make([]int64, s.Len())
		for k := range rows {
			rows[k] = int64(k)
		}
		return s.Images.Batches(rows, batch)
	}
	return func(yield func([]byte, error) bool) {
		for pixels := range slices.Chunk(s.X, batch*s.Size()) {
			if !yield(pixels, nil) {
				return
			}
		}
	}
}

// ofNew replaces new images by their features from the backbone that a run was trained on.
func (b *backbone) ofNew(ctx context.Context, s *dataset.Split, was store.Backbone, progress progressFunc) error {
	b.side = cmp.Or(was.Side, b.side)
	if b.sum != was.SHA256 {
		return fmt.Errorf("%s has changed since the training: restore the old file, or train again", b.Backbone)
	}
	d := dataset.Dataset{Train: *s}
	err := b.features(ctx, &d, progress)
	*s = d.Train
	return err
}

// encoded reports whether examples are replaced by the features of a pretrained network.
func encoded(c config.Config) bool {
	return c.Source.Backbone != "" || views.All.Named(c.Source.View).Encoder != ""
}

// withFeatures reads own images or texts and replaces them by their features.
func withFeatures(ctx context.Context, c config.Config, opt dataset.Options) (d *dataset.Dataset, in store.Input,
	err error) {
	device, err := torch.ParseDevice(c.Device)
	if err != nil {
		return nil, in, err
	}
	b, err := describeBackbone(c.Source, device)
	if err != nil {
		return nil, in, err
	}
	if err := b.chooseSide(ctx); err != nil {
		return nil, in, err
	}
	source := c.Source
	source.Side = b.side
	if d, err = own.Read(ctx, source, opt); err != nil {
		return nil, in, err
	}
	in = inputOf(d)
	if err := b.features(ctx, d, opt.Progress); err != nil {
		return nil, in, err
	}
	in.Backbone = &store.Backbone{Path: b.Backbone, SHA256: b.sum, Features: d.Train.Shape[0], Side: b.side}
	return d, in, nil
}

// viewed reads own data and replaces it by the features of its view, which needs no network.
func viewed(ctx context.Context, c config.Config, opt dataset.Options) (d *dataset.Dataset, in store.Input, err error) {
	if d, err = own.Read(ctx, c.Source, opt); err != nil {
		return nil, in, err
	}
	state, err := views.Fit(c.Source.View, d.Train)
	if err != nil {
		return nil, in, err
	}
	for _, split := range d.Splits() {
		if split.Len() == 0 {
			continue
		}
		if err := state.Apply(ctx, split); err != nil {
			return nil, in, err
		}
	}
	in = inputOf(d)
	in.View = state
	return d, in, nil
}

// Features returns the features [N D] of the training, validation and test examples by the configuration's encoder or
// backbone, row by row. It returns nil without either, and nil for empty splits. Features that a run has computed
// before come from the cache.
func Features(ctx context.Context, c config.Config, opt dataset.Options) ([][]float32, error) {
	if !encoded(c) {
		return nil, nil
	}
	d, _, err := withFeatures(ctx, c, opt)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	var features [][]float32
	for _, split := range d.Splits() {
		features = append(features, split.Features)
	}
	return features, nil
}
