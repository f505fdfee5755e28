package figure

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/report"
)

// SaveDemo draws the runs of one noise, learning curves by loss and T beside T-hat of the
// first seed, and saves the figure in the folder root under a name of its settings.
func SaveDemo(root string, runs []*report.Run) ([]string, error) {
	var losses []string
	byLoss := map[string][]*report.Run{}
	for _, r := range runs {
		if byLoss[r.Config.Loss] == nil {
			losses = append(losses, r.Config.Loss)
		}
		byLoss[r.Config.Loss] = append(byLoss[r.Config.Loss], r)
	}
	var curves []Curve
	for _, loss := range losses {
		curve, err := CurveOf(report.Row{Name: loss, Loss: loss}, byLoss[loss])
		if err != nil {
			return nil, err
		}
		curves = append(curves, curve)
	}
	c := runs[0].Config
	f := Demo(fmt.Sprintf("%s, %s", c.Dataset, report.ColumnOf(c)), curves, report.Estimated(runs).Transition)
	name := fmt.Sprintf("%s-%s-%s-%s", c.Dataset, c.Network(), c.Preset, c.Noise.Kind)
	if c.Noise.Level != 0 {
		name += fmt.Sprintf("-%g", c.Noise.Level)
	}
	if c.Noise.File != "" {
		name += "-" + strings.TrimSuffix(filepath.Base(c.Noise.File), filepath.Ext(c.Noise.File))
	}
	return f.Save(filepath.Join(root, name))
}
