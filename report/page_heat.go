package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"
)

// heat draws a transition matrix: rows are true classes, and the darker a cell
// the larger its probability. Up to 12 classes the numbers stand in the cells,
// up to 30 the names beside them.
func heat(label string, classes []string, rows [][]float64) template.HTML {
	side := min(300, 60+40*float64(len(rows)))
	size := side / float64(max(1, len(rows)))
	named, numbered := len(rows) <= 30, len(rows) <= 12
	font := min(11, .62*size)
	margin := 8.0
	if named {
		for _, name := range classes {
			margin = max(margin, 10+.58*font*float64(utf8.RuneCountInString(clip(name))))
		}
	}
	var b strings.Builder
	whole := margin + side + 4
	fmt.Fprintf(&b, `<svg class="chart heat" width="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", unit(1.3*whole), unit(whole), unit(whole), html.EscapeString(label))
	fmt.Fprintf(&b, `<g transform="translate(%s 2)" font-size="%s">`+"\n", unit(margin), unit(font))
	// Cells of the same shade are one path, which keeps 100 classes small.
	const shades = 20
	var paths [shades + 1]strings.Builder
	for i, row := range rows {
		for j, v := range row {
			if k := int(math.Round(shades * math.Sqrt(min(1, max(0, v))))); k > 0 && v >= .005 {
				fmt.Fprintf(&paths[k], "M%s %sh%sv%sh-%sz", fine(float64(j)*size), fine(float64(i)*size), fine(size), fine(size), fine(size))
			}
		}
	}
	for k := range paths {
		if paths[k].Len() > 0 {
			fmt.Fprintf(&b, `<path class="cell" fill-opacity="%s" d="%s"/>`+"\n", fine(float64(k)/shades), paths[k].String())
		}
	}
	if numbered {
		fmt.Fprintf(&b, `<path class="grid" d="`)
		for k := range len(rows) + 1 {
			fmt.Fprintf(&b, "M%s 0v%sM0 %sh%s", fine(float64(k)*size), fine(side), fine(float64(k)*size), fine(side))
		}
		b.WriteString(`"/>` + "\n")
	} else {
		fmt.Fprintf(&b, `<path class="grid" d="M0 0h%sv%sh-%sz"/>`+"\n", fine(side), fine(side), fine(side))
	}
	for i, row := range rows {
		middle := (float64(i) + .5) * size
		if named && i < len(classes) {
			name := html.EscapeString(clip(classes[i]))
			fmt.Fprintf(&b, `<text class="end" x="-5" y="%s" dy=".35em">%s</text>`, fine(middle), name)
			fmt.Fprintf(&b, `<text class="end" transform="translate(%s %s) rotate(-90)" dy=".35em">%s</text>`+"\n", fine(middle), fine(side+5), name)
		}
		for j, v := range row {
			if !numbered || v < .005 {
				continue
			}
			class := "middle"
			if v > .3 {
				class += " on"
			}
			fmt.Fprintf(&b, `<text class="%s" x="%s" y="%s" dy=".35em">%s</text>`, class, fine((float64(j)+.5)*size), fine(middle), shortest(v))
		}
	}
	b.WriteString("\n</g></svg>")
	return template.HTML(b.String()) //nolint:gosec // names are escaped above
}

// fine writes a length with two decimals at most.
func fine(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

// clip shortens a name that would take the room of the matrix.
func clip(name string) string {
	const most = 12
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}
