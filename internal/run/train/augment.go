package train

import "github.com/losscorr/losscorr/torch"

// Crop cuts Height x Width pixels out of images [N C H W] padded with Pad zeros and, if Flip is set, mirrors each with
// probability 1/2. With Pad 4 and 32 x 32 it is the augmentation of He et al. (2015), which Section 5 of the paper
// uses.
type Crop struct {
	Height, Width int
	Pad           int
	Flip          bool
}

// Random crops each image at its own position, drawn from g, to [N C Height Width].
func (c Crop) Random(x torch.Tensor, g *torch.Generator) torch.Tensor {
	return torch.Tidy(func() torch.Tensor {
		if c.Pad > 0 {
			x = x.Pad(0, c.Pad, c.Pad, c.Pad, c.Pad)
		}
		n, channels, height, width := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
		whole := torch.Options{DType: torch.Int64, Device: x.Device()}
		line := func(n int) torch.Tensor { return torch.Arange(0, float64(n), 1, whole) }
		rows := line(c.Height).View(1, -1).Add(g.Integers(0, height-c.Height+1, whole, n, 1)) // [N Height]
		left := g.Integers(0, width-c.Width+1, whole, n, 1)
		across := line(c.Width)
		columns := across.View(1, -1)
		if c.Flip {
			mirrored := g.Integers(0, 2, whole, n, 1)
			// width-1-k if mirrored, else k
			columns = columns.Add(mirrored.Mul(across.MulScalar(-2).AddScalar(float64(c.Width-1)).View(1, -1)))
		}
		columns = columns.Add(left)
		pixels := rows.MulScalar(float64(width)).View(n, c.Height, 1).Add(columns.View(n, 1, c.Width))
		index := pixels.View(n, 1, c.Height*c.Width).Expand(n, channels, c.Height*c.Width)
		return x.Reshape(n, channels, height*width).Gather(2, index).View(n, channels, c.Height, c.Width)
	})
}

// Centre crops the middle, without padding, to [N C Height Width].
func (c Crop) Centre(x torch.Tensor) torch.Tensor {
	return x.Narrow(2, (x.Size(2)-c.Height)/2, c.Height).Narrow(3, (x.Size(3)-c.Width)/2, c.Width)
}
