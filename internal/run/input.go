package run

import (
	"math"
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Means and standard deviations of ImageNet's channels for pixels in [0, 1], as torchvision's weights expect.
var (
	imageNetMean = []float64{.485, .456, .406}
	imageNetStd  = []float64{.229, .224, .225}
)

// inputFits returns an error if the preprocessing or augmentation does not suit the examples: pixels, words or numbers.
func inputFits(c config.Config, train dataset.Split) error {
	var bad problems
	colour := len(train.Shape) == 3 && train.Shape[0] == len(imageNetMean)
	switch numbers := train.Features != nil || train.Halves != nil; {
	case numbers && !slices.Contains([]string{config.Standard, config.Unit}, c.Preprocessing):
		bad.add("preprocessing", "%s is for pixels, but the data is numbers; use standard, or unit for none",
			c.Preprocessing)
	case c.Preprocessing == config.ImageNet && !colour:
		bad.add("preprocessing", "imagenet is for images of three channels, but examples have shape %v; use standard",
			train.Shape)
	}
	if c.Augment == config.CropFlip && len(train.Shape) != 3 {
		bad.add("augment", "%s is for images, but examples have shape %v; set it to none", c.Augment, train.Shape)
	}
	return config.NewError(bad...)
}

// standardised maps the preprocessings that shift and scale examples to how they compute shift and scale.
var standardised = map[string]func(train dataset.Split) (shift, scale *store.Constant){
	config.PixelMean255: func(train dataset.Split) (shift, scale *store.Constant) { return pixelMoments(train, 1) },
	config.PixelMean:    func(train dataset.Split) (shift, scale *store.Constant) { return pixelMoments(train, 1.0/255) },
	config.Standard:     standardMoments,
	config.ImageNet: func(dataset.Split) (shift, scale *store.Constant) {
		mean := make([]float64, len(imageNetMean))
		for i, m := range imageNetMean {
			mean[i] = 255 * m
		}
		channel := []int{1, len(imageNetMean), 1, 1}
		return &store.Constant{Shape: channel, Values: mean}, &store.Constant{Shape: channel,
			Values: inverse(imageNetStd, 255)}
	},
}

// moments returns the shift and scale of a preprocessing, computed from the training set; nil if it has none.
func moments(input string, train dataset.Split) (shift, scale *store.Constant, err error) {
	if train.Images != nil && input != config.ImageNet {
		if train, err = sample(train); err != nil {
			return nil, nil, err
		}
	}
	if of := standardised[input]; of != nil {
		shift, scale = of(train)
	}
	return shift, scale, nil
}

// pixelMoments returns the mean of each pixel, and one scale.
func pixelMoments(train dataset.Split, by float64) (shift, scale *store.Constant) {
	means, _ := byteMoments(train, train.Size())
	return &store.Constant{Shape: append([]int{1}, train.Shape...), Values: means},
		&store.Constant{Shape: []int{1}, Values: []float64{by}}
}

// standardMoments returns moments for each number or channel, or, for pixels without channels, for all together.
func standardMoments(train dataset.Split) (shift, scale *store.Constant) {
	var mean, std []float64
	var shape []int
	switch {
	case train.X == nil:
		mean, std = featureMoments(train)
		shape = append([]int{1}, train.Shape...)
	case len(train.Shape) == 3:
		mean, std = byteMoments(train, train.Shape[0])
		shape = []int{1, len(mean), 1, 1}
	default:
		mean, std = byteMoments(train, 1)
		shape = []int{1, 1}
	}
	return &store.Constant{Shape: shape, Values: mean}, &store.Constant{Shape: shape, Values: inverse(std, 1)}
}

// sampled bounds the streamed images used for moments.
const sampled = 4096

// sample reads evenly spaced streamed images.
func sample(s dataset.Split) (dataset.Split, error) {
	n := min(s.Len(), sampled)
	rows := make([]int64, n)
	for k := range rows {
		rows[k] = int64(k * s.Len() / n)
	}
	out := dataset.Split{Shape: s.Shape, Labels: make([]int, n)}
	for pixels, err := range s.Images.Batches(rows, 64) {
		if err != nil {
			return out, err
		}
		out.X = append(out.X, pixels...)
	}
	return out, nil
}

// preparation returns the function from stored examples to a network's input, (x - shift) scale, or nil if it changes
// nothing.
func preparation(shift, scale *store.Constant, halves bool, device torch.Device) func(torch.Tensor) torch.Tensor {
	if shift == nil {
		if halves {
			return func(x torch.Tensor) torch.Tensor { return x.ToDType(torch.Float32) }
		}
		return nil
	}
	put := func(c *store.Constant) torch.Tensor {
		return torch.FromSlice(c.Values, c.Shape...).To(torch.Options{DType: torch.Float32, Device: device})
	}
	from, by := put(shift), put(scale)
	return func(x torch.Tensor) torch.Tensor {
		return x.ToDType(torch.Float32).Sub(from).Mul(by)
	}
}

func inverse(v []float64, unit float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = 1 / (unit * x)
	}
	return out
}

// byteMoments returns the mean and standard deviation of each channel over examples and pixels. Constant channels get
// deviation 1. The channels are equal parts of an example, one after the other.
func byteMoments(s dataset.Split, channels int) (mean, std []float64) {
	sums, squares := make([]int, channels), make([]int, channels)
	area := s.Size() / channels
	for k := range s.Len() {
		for c := range channels {
			for _, v := range s.Example(k)[c*area : (c+1)*area] {
				sums[c] += int(v)
				squares[c] += int(v) * int(v)
			}
		}
	}
	n := float64(s.Len() * area)
	mean, std = make([]float64, channels), make([]float64, channels)
	for c := range channels {
		mean[c] = float64(sums[c]) / n
		std[c] = math.Sqrt(max(0, float64(squares[c])/n-mean[c]*mean[c]))
		if std[c] == 0 {
			std[c] = 1
		}
	}
	return mean, std
}

// featureRows bounds the examples used for the moments of features.
const featureRows = 1 << 16

// featureMoments returns each feature's mean and standard deviation over at most featureRows evenly spaced examples.
// Constant features get deviation 1.
func featureMoments(s dataset.Split) (mean, std []float64) {
	d := s.Shape[0]
	at := func(i int) float64 { return float64(s.Features[i]) }
	if s.Halves != nil {
		at = func(i int) float64 { return float64(npy.Half(s.Halves[i])) }
	}
	mean, std = make([]float64, d), make([]float64, d)
	n := min(s.Len(), featureRows)
	row := func(k int) int { return k * s.Len() / n * d }
	for k := range n {
		for j := range d {
			mean[j] += at(row(k)+j) / float64(n)
		}
	}
	varies := make([]bool, d)
	for k := range n {
		for j := range d {
			v := at(row(k) + j)
			std[j] += (v - mean[j]) * (v - mean[j]) / float64(n)
			varies[j] = varies[j] || v != at(row(0)+j)
		}
	}
	for j := range d {
		if std[j] = math.Sqrt(std[j]); !varies[j] {
			mean[j], std[j] = at(row(0)+j), 1 // avoids the sum's rounding
		}
	}
	return mean, std
}
