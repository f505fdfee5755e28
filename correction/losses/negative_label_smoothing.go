package losses

// negativeLabelSmoothingEntry is the negative label smoothing of Wei, Liu, Liu, Niu,
// Sugiyama and Liu, "To Smooth or Not? When Label Smoothing Meets Noisy Labels" (ICML
// 2022), Equation 1 with a rate r below 0:
//
//	L(z, y) = -sum_k t_k log p_k,    t = (1-r) e_y + r/c
//	dL/dz   = p - t
//
// Settings.Smoothing is r, -1 by default. The paper chooses it for each noise among -.2, -.4, -.6, -.8, -1, -2, -4,
// -6 and -8. Under symmetric noise N of two classes, r = -2N / (1-2N) gives backward correction: -1 at N = .25. The
// loss has no lower bound unless Options.Clip is set. Under strong noise the paper's code trains with cross-entropy
// first, as warmup_epochs of a configuration does.
var negativeLabelSmoothingEntry = ofProbabilities(Entry{
	Name: "negative-label-smoothing", About: "label smoothing with a rate below 0",
	Settings: []Setting{{"smoothing", -1, belowZero}},
}, smoothed)
