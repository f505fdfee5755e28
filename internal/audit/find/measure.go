package find

import (
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
)

// measure compares a judgement, the worst label first, with the true labels, -1 if unknown.
// It returns nil if none is known.
//
//	average precision = 1/W sum over the W wrong labels of (place among wrong labels / place among all)
func measure(a judging.Judgement, truth, given []int) *audit.Measured {
	if truth == nil {
		return nil
	}
	var m audit.Measured
	var flagged, hits, corrected int
	for _, i := range a.Order {
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
