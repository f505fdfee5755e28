package figure

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/report"
)

// SaveNoise draws the runs of a table's column, learning curves by row and T beside T-hat
// of the first seed, and saves the figure in the folder root under a name of its settings.
func SaveNoise(root string, t *report.Table, column int) ([]string, error) {
	var curves []Curve
	for i, row := range t.Rows {
		cell := t.Cells[i][column]
		if cell == nil {
			continue
		}
		curve, err := CurveOf(row, cell.Runs)
		if err != nil {
			return nil, err
		}
		curves = append(curves, curve)
	}
	title := fmt.Sprintf("%s, %s\n%s", t.Dataset, t.Columns[column], t.About())
	f := noiseFigure(title, curves, Styles(t.Rows), report.Estimated(t.Under(column)).Transition)
	return f.Save(filepath.Join(root, fileName(t, t.Columns[column])))
}

// maxName bounds the name of a file without its ending, in bytes.
const maxName = 120

// fileName names a figure by data set, network, preset with what differs from it, and
// noise.
func fileName(t *report.Table, c report.Column) string {
	name := fmt.Sprintf("%s-%s-%s-%s", t.Dataset, t.Model, t.What(), c.Noise)
	if c.Level != 0 {
		name += fmt.Sprintf("-%g", c.Level)
	}
	if c.Groups != "" && len(t.Columns) > 1 {
		name += "-" + c.Groups
	}
	if c.File != "" {
		name += "-" + strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
	}
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_')
	}), "-")
	if len(name) > maxName {
		name = fmt.Sprintf("%s-%.8x", name[:maxName-9], sha256.Sum256([]byte(name)))
	}
	return name
}
