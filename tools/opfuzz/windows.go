package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// windows is convolutions, poolings, and images in other sizes.
func windows() []operation {
	pool := func(name string, f func(t tensor, kernel int, w torch.Window) tensor) operation {
		return operation{name, func(s *source) call {
			t := s.images()
			w, kernel := s.window(), s.IntN(5)
			if s.chance(.05) {
				kernel = s.number()
			}
			return call{in: []tensor{t}, note: fmt.Sprintf(" %d %+v", kernel, w), tolerance: 1e-3, apart: s.strange,
				run: single(func(t tensor) tensor {
					return f(t, kernel, w)
				})}
		}}
	}
	return []operation{
		convolution("Conv2d", false),
		convolution("Conv2d of one element", true),
		pool("MaxPool2d", func(t tensor, k int, w torch.Window) tensor { return t.MaxPool2d(k, w).Detach() }),
	}
}

// channels is a number of them, which oneDNN has kernels for by the eight and sixteen.
func (s *source) channels() int { return pick(s, 0, 1, 2, 3, 4, 8, 16, 24, 32) }

// images may have no pixels, and seldom other dimensions than four.
func (s *source) images() tensor {
	if s.chance(.05) {
		return s.tensor(s.float(), s.shape(0, 5)...)
	}
	return s.tensor(s.float(), s.IntN(5), s.channels(), s.IntN(12), s.IntN(12))
}

// window is a stride and a padding.
func (s *source) window() torch.Window {
	w := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3)}
	if s.chance(.05) {
		w.Stride = s.number()
	}
	if s.chance(.05) {
		w.Padding = s.number()
	}
	return w
}

// sides is the height and width of a kernel, mostly the same.
func (s *source) sides() []int {
	height, width := s.IntN(4), s.IntN(4)
	if s.chance(.7) {
		width = height
	}
	return []int{height, width}
}

// convolution is one of images, or one whose kernel has but one element.
func convolution(name string, element bool) operation {
	return operation{name, func(s *source) call {
		channels, out, kernel, w := s.channels(), s.channels(), s.sides(), s.window()
		if element {
			kernel = []int{1, 1}
		}
		w.Groups = pick(s, 0, 0, 0, 1, 2, channels)
		if s.chance(.05) {
			w.Groups = s.number()
		}
		shape := []int{s.IntN(5), channels, s.IntN(12), s.IntN(12)}
		if s.chance(.05) {
			shape = s.shape(0, 5)
		}
		dtype := s.float()
		own := s.about(channels)
		if w.Groups > 1 {
			own = channels / w.Groups
		}
		in := []tensor{s.tensor(dtype, shape...), s.tensor(dtype, append([]int{out, own}, kernel...)...), {}}
		if s.chance(.5) {
			in[2] = s.tensor(dtype, s.about(out))
		}
		return call{in: in, note: fmt.Sprintf(" %+v", w), tolerance: 2e-3, apart: s.strange, run: func(x []tensor) []tensor {
			return []tensor{x[0].Conv2d(x[1], x[2], w)}
		}}
	}}
}
