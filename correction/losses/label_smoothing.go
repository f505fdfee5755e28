package losses

import "github.com/losscorr/losscorr/torch"

// labelSmoothingEntry is the label smoothing of Szegedy, Vanhoucke, Ioffe, Shlens and
// Wojna, "Rethinking the Inception Architecture for Computer Vision" (CVPR 2016),
// Section 7, with r their epsilon:
//
//	L(z, y) = -sum_k t_k log p_k,    t = (1-r) e_y + r/c
//	dL/dz   = p - t
//
// Settings.Smoothing is r in (0, 1), .1 by default as in the paper.
var labelSmoothingEntry = ofProbabilities(Entry{
	Name: "label-smoothing", About: "cross-entropy with targets mixed with the uniform distribution",
	Settings: []Setting{{"smoothing", .1, share}},
}, smoothed)

func smoothed(classes int, s Settings) formula {
	r := s.Smoothing
	return linear(func(l, labels torch.Tensor) torch.Tensor {
		return oneHot(l, labels).MulScalar(1 - r).AddScalar(r / float64(classes))
	})
}
