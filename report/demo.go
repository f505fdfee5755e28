package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/store"
)

// DemoFigure shows a block of runs in one picture: learning curves of the
// losses on the left, beside them T and its estimate. t may be nil, which
// leaves the curves.
func DemoFigure(title string, curves []Curve, t *store.TransitionInfo) *Figure {
	if t == nil {
		return CurvesFigure(title, curves)
	}
	panels := matrixPlots(t)
	height := 3.1 * vg.Inch
	left := 5.2 * vg.Inch
	square := height
	return &Figure{width: left + vg.Length(len(panels))*square, height: height, draw: func(c draw.Canvas) {
		drawTitled(curvesPlot(title, curves), inset(column(c, 0, left)))
		for k, p := range panels {
			drawSquare(p, inset(column(c, left+vg.Length(k)*square, square)))
		}
	}}
}
