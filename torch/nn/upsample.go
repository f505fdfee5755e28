package nn

import "github.com/losscorr/losscorr/torch"

// Upsample brings images to Height and Width, or to Factor times their own:
// Upsample{Factor: 2}. The zero Mode is torch.Nearest.
type Upsample struct {
	plain
	Height, Width int
	Factor        float64
	Mode          torch.Interpolation
	AlignCorners  bool // torch.Bilinear only
}

// Forward resamples images [N C H W].
func (u Upsample) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.Upsample(torch.UpsampleOptions{Height: u.Height, Width: u.Width, Factor: u.Factor, Mode: u.Mode, AlignCorners: u.AlignCorners})
}
