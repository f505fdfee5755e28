package own

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The two forms of é, composed and decomposed.
const (
	composed   = "caf\u00e9"
	decomposed = "cafe\u0301"
)

// A class in two forms of Unicode is one, wherever its name stands. Names of files stay as they are.
func TestOwnUnicodeForms(t *testing.T) {
	for name, s := range map[string]struct {
		files  []string
		source Source
	}{
		"table": {[]string{"t.csv", "id,x,label,t\na" + decomposed + ",1," + composed + "," + decomposed + "\nb,2," +
			decomposed + ",\nc,3,tea,\nd,4,tea,\n"}, Source{Path: "t.csv", ID: "id", Features: []string{"x"}, Truth: "t"}},
		"lines": {[]string{"x.npy", datasettest.Array("<f4", "4, 1", []float32{1, 2, 3, 4}), "y.txt", composed + "\n" +
			decomposed + "\ntea\ntea\n"}, Source{Path: "x.npy", Labels: "y.txt"}},
		"labels": {[]string{"y.csv", "label\n" + composed + "\n" + decomposed + "\ntea\ntea\n"}, Source{Labels: "y.csv"}},
	} {
		t.Run(name, func(t *testing.T) {
			datasettest.Here(t, s.files...)
			d := good(t, s.source, 0)
			expect.Same(t, []string{composed, "tea"}, d.Classes)
			if name == "table" && (d.Train.IDs[0] != "a"+decomposed || d.Train.Truth[0] != 0) {
				t.Errorf("names %q, true labels %v", d.Train.IDs, d.Train.Truth)
			}
		})
	}
	datasettest.Isolate(t)
	dir := datasettest.Album(t, datasettest.Shaded(t, composed+"/1.png", decomposed+"/2.png", "tea/1.png", "tea/2.png")...)
	d := good(t, Source{Path: dir}, 0)
	expect.Same(t, []string{composed, "tea"}, d.Classes)
	expect.Says(t, d.Train.IDs, decomposed+"/2.png")
	datasettest.Here(t, "p.csv", decomposed+",tea\n.9,.1\n.2,.8\n", "y.csv", "id,label\n1,"+decomposed+"\n2,tea\n")
	p := expect.Got(Source{}.ReadProbabilities("p.csv", []string{"0", "1"}, []string{composed, "tea"}, nil))(t)
	expect.Same(t, []float32{.9, .1, .2, .8}, p.Values)
	expect.Same(t, true, p.Named)
	expect.Same(t, composed, expect.Got(ReadLabels("y.csv"))(t)["1"])
}
