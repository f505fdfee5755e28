package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/losscorr/losscorr/results/paper"
)

// lossClass is the class of a row's lines and marks: k0 to k9 for the losses of
// the paper, k10 to k15 in turn for others and for a loss's second settings. The
// style sheet gives each a colour of Okabe and Ito (2008) and dashes, pairs of
// which no two rows of the paper share.
func lossClass(rows []Row, name string) string {
	others := len(paper.Losses())
	var seen []string
	for _, row := range rows {
		k := slices.Index(paper.Losses(), row.Loss)
		if k < 0 || slices.Contains(seen, row.Loss) {
			k = others
			others++
			if others == len(paper.Losses())+6 {
				others = len(paper.Losses())
			}
		}
		seen = append(seen, row.Loss)
		if row.Name == name {
			return fmt.Sprintf("k%d", k)
		}
	}
	return "k0"
}

// The shapes of a loss's points, of radius 4, by the number of its class: an
// estimate of T is hollow, its style says.
var markShapes = []string{
	"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", // circle
	"M-4 0H4M0-4V4",                        // plus
	"M-3-3L3 3M-3 3L3-3",                   // cross
	"M-4 0H4M-2-3.5L2 3.5M-2 3.5L2-3.5",    // star
	"M0-4.5L4.5 0L0 4.5L-4.5 0z",           // diamond
	"M0-4.5L4.5 0L0 4.5L-4.5 0z",           // hollow diamond
	"M-4 3L4 3L0-4.5z",                     // triangle
	"M-4 3L4 3L0-4.5z",                     // hollow triangle
	"M-3.3-3.3H3.3V3.3H-3.3z",              // square
	"M-3.3-3.3H3.3V3.3H-3.3z",              // hollow square
	"M-4-3L4-3L0 4.5z", "M-4-3L4-3L0 4.5z", // triangle on its point
	"M-2-4H2L4 0L2 4H-2L-4 0z", "M-2-4H2L4 0L2 4H-2L-4 0z", // hexagon
	"M-4.5-1.5H4.5V1.5H-4.5z", "M-1.5-4.5H1.5V4.5H-1.5z", // bars
}

// mark draws a class's shape at a point of a drawing.
func shape(class string, x, y float64) string {
	var k int
	if _, err := fmt.Sscanf(class, "k%d", &k); err != nil || k >= len(markShapes) {
		k = 0
	}
	return fmt.Sprintf(`<path class="mark %s" transform="translate(%s %s)" d="%s"/>`, class, unit(x), unit(y), markShapes[k])
}

// swatch is a class's line with its mark, for a legend.
func swatch(class string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="swatch" viewBox="0 0 34 12" aria-hidden="true"><path class="line %s" d="M1 6h32"/>%s</svg>`,
		class, shape(class, 17, 6))) //nolint:gosec // constants
}
