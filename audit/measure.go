package audit

import (
	"github.com/losscorr/losscorr/correction/judging"
)

// Measured says how good an audit's judgement is, for data whose true labels are known.
type Measured struct {
	Known            int     `json:"known"`             // examples whose true label is known
	Wrong            int     `json:"wrong"`             // of them, whose given label is wrong
	AveragePrecision float64 `json:"average_precision"` // of the ranking by p_wrong
	F1               float64 `json:"f1"`                // of p_wrong above .5
	Corrected        float64 `json:"corrected"`         // share of the wrong labels whose suggestion is the true label
}

// measure compares a judgement, in the order worst first, with the true labels, -1 where
// not known. It returns nil if none is known.
//
//	average precision = 1/W sum over wrong labels of their place among the wrong ones / their place
func measure(a *judging.Audited, order, truth, given []int) *Measured {
	if truth == nil {
		return nil
	}
	var m Measured
	var flagged, hits, corrected int
	for _, i := range order {
		if truth[i] < 0 {
			continue
		}
		m.Known++
		wrong := truth[i] != given[i]
		if wrong {
			m.Wrong++
			m.AveragePrecision += float64(m.Wrong) / float64(m.Known)
		}
		if a.Wrong[i] > judging.LikelyWrong {
			flagged++
			if wrong {
				hits++
			}
			if wrong && a.Suggested[i] == truth[i] {
				corrected++
			}
		}
	}
	if m.Known == 0 {
		return nil
	}
	if m.Wrong > 0 {
		m.AveragePrecision /= float64(m.Wrong)
		m.Corrected = float64(corrected) / float64(m.Wrong)
	}
	if flagged+m.Wrong > 0 {
		m.F1 = 2 * float64(hits) / float64(flagged+m.Wrong)
	}
	return &m
}
