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
			w.DilationHW = [2]int{}
			if s.chance(.05) {
				kernel = s.number()
			}
			if s.chance(.3) {
				kernel, w.KernelHW = 0, [2]int{s.IntN(4), 1 + s.IntN(4)}
			}
			return call{in: []tensor{t}, note: fmt.Sprintf(" %d %+v", kernel, w), tolerance: 1e-3, apart: s.strange, run: single(func(t tensor) tensor { return f(t, kernel, w) })}
		}}
	}
	return []operation{
		convolution("Conv2d", 2, false, tensor.Conv2d),
		convolution("Conv2d of one element", 2, true, tensor.Conv2d),
		convolution("Conv1d", 1, false, tensor.Conv1d),
		transposed(),
		pool("MaxPool2d", func(t tensor, k int, w torch.Window) tensor { return t.MaxPool2d(k, w).Detach() }),
		pool("AvgPool2d", tensor.AvgPool2d),
		pool("AdaptiveAvgPool2d", func(t tensor, k int, w torch.Window) tensor { return t.AdaptiveAvgPool2d(k, w.Padding) }),
		{"Upsample", func(s *source) call {
			o := torch.UpsampleOptions{Mode: pick(s, torch.Nearest, torch.Bilinear), AlignCorners: s.chance(.3)}
			size := func() int {
				if s.chance(.03) {
					return s.number()
				}
				return s.IntN(25)
			}
			if s.chance(.5) {
				o.Height, o.Width = size(), size()
			} else {
				o.Factor = pick(s, .5, 2, 1.5, 3*s.Float64(), s.real())
			}
			return call{in: []tensor{s.images()}, note: fmt.Sprintf(" %+v", o), tolerance: 1e-3, apart: s.strange, run: single(func(t tensor) tensor { return t.Upsample(o) })}
		}},
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

// window is one for height and width alike, or one for each.
func (s *source) window() torch.Window {
	w := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3), Dilation: s.IntN(3)}
	if s.chance(.3) {
		w.Stride, w.StrideHW = 0, [2]int{1 + s.IntN(3), s.IntN(4)}
	}
	if s.chance(.3) {
		w.Padding, w.PaddingHW = 0, [2]int{s.IntN(3), s.IntN(3)}
	}
	if s.chance(.3) {
		w.Dilation, w.DilationHW = 0, [2]int{1 + s.IntN(3), s.IntN(3)}
	}
	if s.chance(.05) {
		w.Stride = s.number()
	}
	if s.chance(.05) {
		w.Padding = s.number()
	}
	if s.chance(.05) {
		w.Dilation = s.number()
	}
	return w
}

// sides is n sizes of a kernel, mostly the same.
func (s *source) sides(n int) []int {
	sides := make([]int, n)
	for i := range sides {
		if sides[i] = s.IntN(4); i > 0 && s.chance(.7) {
			sides[i] = sides[0]
		}
	}
	return sides
}

// convolution is one over n dimensions, or one whose kernel has but one element.
func convolution(name string, n int, element bool, f func(t, weight, bias tensor, w torch.Window) tensor) operation {
	return operation{name, func(s *source) call {
		channels, out, kernel, w := s.channels(), s.channels(), s.sides(n), s.window()
		if element {
			kernel = []int{1, 1}
		}
		if n == 1 {
			w.StrideHW, w.PaddingHW, w.DilationHW = [2]int{}, [2]int{}, [2]int{}
		}
		w.Groups = pick(s, 0, 0, 0, 1, 2, channels)
		if s.chance(.05) {
			w.Groups = s.number()
		}
		shape := []int{s.IntN(5), channels, s.IntN(12), s.IntN(12)}[:2+n]
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
		return call{in: in, note: fmt.Sprintf(" %+v", w), tolerance: 2e-3, apart: s.strange, run: func(x []tensor) []tensor { return []tensor{f(x[0], x[1], x[2], w)} }}
	}}
}

func transposed() operation {
	return operation{"ConvTranspose2d", func(s *source) call {
		channels, out, w := s.channels(), s.channels(), s.window()
		w.Groups = pick(s, 0, 0, 0, 1, 2, channels)
		w.OutputPadding = pick(s, 0, 0, 1, s.IntN(3))
		if s.chance(.2) {
			w.OutputPadding, w.OutputPaddingHW = 0, [2]int{s.IntN(2), s.IntN(3)}
		}
		if s.chance(.03) {
			w.OutputPadding = s.number()
		}
		if w.Groups > 1 {
			out /= w.Groups
		}
		t := s.images()
		in := []tensor{t, s.tensor(t.DType(), append([]int{channels, out}, s.sides(2)...)...), {}}
		if t.Dim() == 4 {
			in[1] = s.tensor(t.DType(), append([]int{s.about(t.Size(1)), out}, s.sides(2)...)...)
		}
		if s.chance(.5) {
			in[2] = s.tensor(t.DType(), s.about(out*max(w.Groups, 1)))
		}
		return call{in: in, note: fmt.Sprintf(" %+v", w), tolerance: 2e-3, apart: s.strange, run: func(x []tensor) []tensor { return []tensor{x[0].ConvTranspose2d(x[1], x[2], w)} }}
	}}
}
