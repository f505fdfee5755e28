package checking

import (
	"fmt"
)

// ClassCount is a Count of the labels of one given class.
type ClassCount struct {
	Checked   int     // different labels of the class that were checked
	Wrong     float64 // estimated number of wrong labels
	Low, High float64 // an interval at 90 %, extended to hold Wrong
}

// ByClass estimates the number of wrong labels of each given class as [NewCount] does for all.
// Wrong of all classes sum to c.Wrong: where the estimates of some classes are out of bounds,
// all move towards their bounds in proportion.
//
// It is an error if given is not one class below classes for each example.
func (c *Count) ByClass(given []int, classes int) ([]ClassCount, error) {
	if len(given) != len(c.w) {
		return nil, fmt.Errorf("checking: by class: %d labels, want %d", len(given), len(c.w))
	}
	for _, k := range given {
		if k < 0 || k >= classes {
			return nil, fmt.Errorf("checking: by class: label %d of %d classes", k, classes)
		}
	}
	out := make([]ClassCount, classes)
	parts := c.parts(given, classes)
	sum, least, most := 0., 0., 0.
	for k, p := range parts {
		out[k].Checked = int(p.wrong + p.right)
		out[k].Wrong, out[k].Low, out[k].High = c.interval(p)
		sum += out[k].Wrong
		least += p.wrong
		most += p.size - p.right
	}
	for k, p := range parts {
		v := &out[k]
		switch bottom, top := p.wrong, p.size-p.right; {
		case sum > c.Wrong:
			v.Wrong = bottom + (v.Wrong-bottom)*(c.Wrong-least)/(sum-least)
		case sum < c.Wrong:
			v.Wrong = top - (top-v.Wrong)*(most-c.Wrong)/(most-sum)
		}
		v.Low, v.High = min(v.Low, v.Wrong), max(v.High, v.Wrong)
	}
	return out, nil
}
