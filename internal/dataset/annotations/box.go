package annotations

import (
	"errors"
	"fmt"
	"image"
	"math"
)

// Box is a rectangle in an image.
type Box struct {
	Left, Top, Width, Height float64 // in pixels
	Shares                   bool    // the fields are shares of the image's width and height
}

// In returns the pixels of a box that are inside an image of the given size.
func (b Box) In(width, height int) image.Rectangle {
	if b.Shares {
		b = b.scaled(float64(width), float64(height))
	}
	right, bottom := b.Left+b.Width, b.Top+b.Height
	r := image.Rect(floor(b.Left+rounding), floor(b.Top+rounding), ceil(right-rounding), ceil(bottom-rounding))
	return r.Intersect(image.Rect(0, 0, width, height))
}

// rounding is the error in pixels of a box written as shares with six decimals.
const rounding = .01

func (b Box) scaled(x, y float64) Box {
	return Box{Left: b.Left * x, Width: b.Width * x, Top: b.Top * y, Height: b.Height * y}
}

// turned returns the upright rectangle around a box that is turned about its centre, or the turned box itself if that
// is upright.
func (b Box) turned(degrees float64) Box {
	if degrees == 0 {
		return b
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = math.Abs(sin), math.Abs(cos)
	width, height := b.Width*cos+b.Height*sin, b.Width*sin+b.Height*cos
	return Box{Left: b.Left + (b.Width-width)/2, Top: b.Top + (b.Height-height)/2, Width: width, Height: height}
}

// check returns an error for an impossible box. first is the coordinate of the first pixel, 0 or 1.
func (b Box) check(first float64) error {
	corners := []float64{b.Left + first, b.Top + first, b.Left + b.Width, b.Top + b.Height}
	small, whole := true, true
	for _, x := range corners {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return errors.New("a number of its box is NaN or infinite")
		}
		small, whole = small && math.Abs(x) <= 1, whole && x == math.Trunc(x)
	}
	switch {
	case b.Width <= 0 || b.Height <= 0:
		return fmt.Errorf("its box has a size of %.4g x %.4g", b.Width, b.Height)
	case small && !whole && !b.Shares:
		return fmt.Errorf("its box, %.4g to %.4g across and %.4g to %.4g down, seems to be in shares of the image: write "+
			"it in pixels", corners[0], corners[2], corners[1], corners[3])
	}
	return nil
}

// enclosing returns the upright rectangle around points x, y, x, y and so on.
func enclosing(points []float64) (Box, error) {
	if len(points) < 6 || len(points)%2 > 0 {
		return Box{}, fmt.Errorf("its polygon has %d numbers, want x and y of three or more points", len(points))
	}
	left, top, right, bottom := points[0], points[1], points[0], points[1]
	for k := 0; k < len(points); k += 2 { // min and max propagate NaN
		left, right = min(left, points[k]), max(right, points[k])
		top, bottom = min(top, points[k+1]), max(bottom, points[k+1])
	}
	return Box{Left: left, Top: top, Width: right - left, Height: bottom - top}, nil
}
