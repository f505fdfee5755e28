package main

// networks returns the operation of libtorch's LSTM.
func networks() []operation {
	return []operation{
		{"LSTM", func(s *source) call {
			steps, n, d, h := s.IntN(6), s.IntN(5), s.IntN(7), s.IntN(7)
			dtype := s.float()
			in := []tensor{
				s.tensor(dtype, n, steps, d), s.tensor(dtype, 1, n, h), s.tensor(dtype, 1, n, h),
				s.tensor(dtype, 4*h, d), s.tensor(dtype, 4*h, h), s.tensor(dtype, 4*h), s.tensor(dtype, 4*h),
			}
			if s.chance(.05) {
				in = in[:len(in)-1]
			}
			if s.chance(.05) {
				in[s.IntN(len(in))] = s.tensor(dtype, s.shape(0, 3)...)
			}
			return call{in: in, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
				out, h, c := x[0].LSTM(x[1], x[2], x[3:])
				return []tensor{out, h, c}
			}}
		}},
	}
}
