package picture

import (
	"image"
	"image/color"
	"math"
	"slices"
	"sync"
)

// Squarer decodes images into squares as torchvision's Resize(side) and CenterCrop(side)
// do: the short side becomes side pixels, with the triangle filter that PIL calls bilinear,
// and the middle of the long side is kept. A JPEG is scaled before its colours are
// converted, which is faster and changes values by a few units at sharp edges.
//
// BiLinear of golang.org/x/image/draw scales in the same way but takes longer than
// decoding; Squarer takes half the time of decoding.
//
// It is for one goroutine at a time.
type Squarer struct {
	Side   int
	pixels []pixel // the decoded image
	line   []pixel // one row between the two passes
}

// pixel is three channels of 21 bits each, so that one multiplication scales all of them.
// Weights add up to 2^weightBits, and values have lineBits fractional bits between the
// passes. No channel overflows, since 255 times 2^(weightBits+lineBits) and a half is less
// than 2^21.
type pixel uint64

const (
	laneBits   = 21
	weightBits = 11
	lineBits   = 2

	ones     = pixel(1 | 1<<laneBits | 1<<(2*laneBits))
	lineMask = (1<<(8+lineBits) - 1) * ones
)

func newPixel(a, b, c byte) pixel {
	return pixel(a) | pixel(b)<<laneBits | pixel(c)<<(2*laneBits)
}

// Decode writes the red, green and blue planes of an image.
func (s *Squarer) Decode(planes, raw []byte) error {
	width, height, err := Size(raw)
	if err != nil {
		return err
	}
	if width*height > largeArea {
		largeImages.Lock()
		defer largeImages.Unlock()
	}
	img, err := decodeImage(raw, width, height)
	if err != nil {
		return err
	}
	photo, ok := img.(*image.YCbCr)
	if ok {
		s.packPhoto(photo)
	} else {
		s.pack(img)
	}
	s.scale(planes, img.Bounds().Size())
	if cap(s.pixels) > largeArea {
		s.pixels = nil
	}
	if ok {
		n := s.Side * s.Side
		red, green, blue := planes[:n], planes[n:2*n], planes[2*n:3*n]
		for k := range n {
			red[k], green[k], blue[k] = color.YCbCrToRGB(red[k], green[k], blue[k])
		}
	}
	return nil
}

// largeImages serialises the decoding of images with more than largeArea pixels, since one
// takes up to a gigabyte.
var largeImages sync.Mutex

const largeArea = 1 << 24

// Square writes the red, green and blue planes of a picture.
func (s *Squarer) Square(planes []byte, img image.Image) {
	s.pack(img)
	s.scale(planes, img.Bounds().Size())
}

func (s *Squarer) packPhoto(img *image.YCbCr) {
	size := img.Bounds().Size()
	shift := 0
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		shift = 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		shift = 2
	}
	s.pixels = slices.Grow(s.pixels[:0], size.X*size.Y)
	for y := range size.Y {
		luma := img.Y[y*img.YStride:][:size.X]
		at := img.COffset(0, y)
		cb, cr := img.Cb[at:], img.Cr[at:]
		for x, v := range luma {
			s.pixels = append(s.pixels, newPixel(v, cb[x>>shift], cr[x>>shift]))
		}
	}
}

func (s *Squarer) pack(img image.Image) {
	s.pixels = s.pixels[:0]
	for v := range slices.Chunk(colours(img), 4) {
		s.pixels = append(s.pixels, newPixel(v[0], v[1], v[2]))
	}
}

// scale makes a square from s.pixels, an image of the given size.
func (s *Squarer) scale(planes []byte, size image.Point) {
	w, h := s.Side, s.Side // of the scaled image, before the crop
	if size.X > size.Y {
		w = s.Side * size.X / size.Y
	} else {
		h = s.Side * size.Y / size.X
	}
	cols, rows := newTaps(size.X, w, s.Side), newTaps(size.Y, h, s.Side)
	s.line = slices.Grow(s.line[:0], size.X)[:size.X]
	n := s.Side * s.Side
	for y := range s.Side {
		clear(s.line)
		for k, weight := range rows.of(y) {
			row := s.pixels[(rows.first[y]+k)*size.X:][:len(s.line)]
			for x, v := range row {
				s.line[x] += weight * v
			}
		}
		for x, v := range s.line {
			s.line[x] = v >> (weightBits - lineBits) & lineMask
		}
		for x := range s.Side {
			const bits = weightBits + lineBits
			sum := ones << (bits - 1) // for rounding
			weights := cols.of(x)
			for k, v := range s.line[cols.first[x]:][:len(weights)] {
				sum += weights[k] * v
			}
			at := y*s.Side + x
			planes[at] = byte(sum >> bits)
			planes[n+at] = byte(sum >> (laneBits + bits))
			planes[2*n+at] = byte(sum >> (2*laneBits + bits))
		}
	}
}

// taps are the source values and weights for each value of a scaled line.
type taps struct {
	n       int // number of values for each
	first   []int
	weights []pixel
}

func (t taps) of(k int) []pixel { return t.weights[k*t.n : (k+1)*t.n] }

// newTaps scales a line of length values to scaled values and keeps the middle count of
// these. If each new value covers step old ones, an old value at distance d from its middle
// has the weight 1 - d / max(1, step), divided by the sum of the weights.
func newTaps(length, scaled, count int) taps {
	step := float64(length) / float64(scaled)
	reach := max(1, step)
	t := taps{n: min(length, int(math.Ceil(2*reach))), first: make([]int, count)}
	t.weights = make([]pixel, count*t.n)
	cut := int(math.RoundToEven(float64(scaled-count) / 2)) // like Python's round
	weights := make([]float64, t.n)
	for k := range count {
		middle := (float64(k+cut) + .5) * step
		first := min(max(0, int(math.Floor(middle-reach+.5))), length-t.n)
		sum := 0.0
		for i := range weights {
			weights[i] = max(0, 1-math.Abs(float64(first+i)+.5-middle)/reach)
			sum += weights[i]
		}
		t.first[k] = first
		// Rounding the running sum makes the total exact.
		running, given := 0.0, pixel(0)
		for i, w := range weights {
			running += w
			upTo := pixel(math.Round(running / sum * (1 << weightBits)))
			t.of(k)[i] = upTo - given
			given = upTo
		}
	}
	return t
}
