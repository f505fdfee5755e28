package figure

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/internal/report"
)

// Noise draws a column of a table: learning curves by row, and T beside the first seed's T-hat.
func Noise(b *report.Block, column int) (*Figure, error) {
	var curves []curve
	for i, row := range b.Rows {
		cell := b.Cells[i][column]
		if cell == nil {
			continue
		}
		c := curve{Row: row}
		for _, r := range cell.Runs {
			epochs, err := r.Epochs()
			if err != nil {
				return nil, err
			}
			if len(epochs) > 0 {
				c.runs = append(c.runs, epochs)
			}
		}
		curves = append(curves, c)
	}
	title := fmt.Sprintf("%s, %s\n%s", b.Dataset, b.Columns[column], b.About())
	return noiseFigure(title, curves, stylesOf(b.Rows), report.Estimated(b.Under(column)).Transition), nil
}

// SaveNoise saves the figure of a column in the folder root under a name from its settings.
func SaveNoise(root string, b *report.Block, column int) ([]string, error) {
	f, err := Noise(b, column)
	if err != nil {
		return nil, err
	}
	return f.Save(filepath.Join(root, fileName(b, b.Columns[column])))
}

// fileName names a figure by data set, network, preset and noise. Settings that differ from
// the preset's are spelled out if they are few and hashed otherwise; the title has all of
// them.
func fileName(b *report.Block, c report.Column) string {
	what := word(b.What())
	if len(what) > maxWhat {
		what = fmt.Sprintf("%s-%.8s", b.Preset, fmt.Sprintf("%x", sha256.Sum256([]byte(b.What()))))
	}
	if b.Quick {
		what += "-quick"
	}
	parts := []string{b.Dataset, b.Network(), what, c.Noise}
	if c.Level != 0 {
		parts = append(parts, strconv.FormatFloat(c.Level, 'g', -1, 64))
	}
	if c.File != "" {
		parts = append(parts, strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File)))
	}
	if slices.ContainsFunc(b.Columns, func(d report.Column) bool {
		return d != c && d.Noise == c.Noise && d.Level == c.Level
	}) {
		parts = append(parts, c.Groups) // if there are several groups
	}
	return word(strings.Join(parts, "-"))
}

// maxWhat is the longest text of settings in a file name, in bytes.
const maxWhat = 32

// word replaces all characters except letters, digits, points and underscores by hyphens.
func word(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	}), "-")
}
