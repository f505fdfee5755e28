package checking

import "fmt"

// ClassCount counts the wrong labels of one given class.
type ClassCount struct {
	Checked   int     // distinct labels of the class that were checked
	Wrong     float64 // estimated number of wrong labels
	Low, High float64 // the interval at 90 %, extended to hold Wrong
}

// ByClass estimates the number of wrong labels of each given class as [NewCount] does for all labels. The estimates
// sum to c.Wrong: if some are out of bounds, all move towards their bounds in proportion.
//
// It is an error unless given holds one class in [0, classes) for each example.
func (c *Count) ByClass(given []int, classes int) ([]ClassCount, error) {
	if len(given) != len(c.w) {
		return nil, fmt.Errorf("checking: by class: %d labels, want %d", len(given), len(c.w))
	}
	for _, k := range given {
		if k < 0 || k >= classes {
			return nil, fmt.Errorf("checking: by class: label %d is not one of %d classes", k, classes)
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
