package own

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Labels in any form get the names of their classes, which keep the order of their numbers, and so
// do labels that have the names already.
func TestClassesWithNames(t *testing.T) {
	names := []string{"2=also", "10=beside", "0=zero"}
	want := []string{"zero", "1", "also", "beside"}
	labels := []int{0, 1, 2, 3, 0, 2}
	x := datasettest.Array("|u1", "6, 2", make([]byte, 12))
	for what, s := range map[string]Source{
		"array":          {Path: "x.npy", Labels: "y.npy"},
		"text":           {Path: "x.npy", Labels: "y.txt"},
		"named text":     {Path: "x.npy", Labels: "named.txt"},
		"table":          {Path: "t.csv", Features: []string{"a"}, Truth: "truth"},
		"labels only":    {Labels: "y.txt"},
		"table and test": {Path: "t.csv", Features: []string{"a"}, Test: "t.csv", TestLabels: "named.txt"},
	} {
		t.Run(what, func(t *testing.T) {
			datasettest.Here(t, "x.npy", x, "y.npy", datasettest.Array("<i8", "6,", []int64{0, 1, 2, 10, 0, 2}), "y.txt",
				"0\n1\n2\n10\n0\n2\n", "named.txt", "zero\n1\nalso\n10\n0\nalso\n",
				"t.csv", "a,label,truth\n1,0.0,1\n2,1,also\n3,2,\n4,10,beside\n5,zero,10\n6,2,0\n")
			s.ClassNames = names
			d := good(t, s, 0)
			expect.Same(t, want, d.Classes)
			expect.Same(t, labels, d.Train.Labels)
			if s.Truth != "" {
				expect.Same(t, []int{1, 2, -1, 3, 3, 0}, d.Train.Truth)
			}
			if s.Test != "" {
				expect.Same(t, labels, d.Test.Labels)
			}
		})
	}
}

func TestWrongClassNames(t *testing.T) {
	datasettest.Here(t, "y.txt", "0\n1\n0\n1\n", "named.txt", "cat\ndog\ncat\ndog\n")
	for _, c := range []struct{ file, names, want string }{
		{"y.txt", "7=x", `names a class without training examples, 7 ("x"): the labels are "0", "1"`},
		{"named.txt", "0=cat,1=dog,2=x", `names a class without training examples, 2 ("x")`},
		{"y.txt", "0=a,0=b", `the class 0 has two names, "a" and "b"`},
		{"y.txt", "0=a,1=a", `the classes 0 and 1 have the same name "a"`},
		{"y.txt", "0=e\u0301,1=\u00e9", "the classes 0 and 1 have the same name"},
		{"y.txt", "0=1", "the name of a class cannot be a number"},
		{"y.txt", "cat=x", `only whole numbers can get names, and the class "cat" has a name already`},
		{"y.txt", "0", "want NUMBER=NAME"},
		{"y.txt", "0= ", "want NUMBER=NAME"},
	} {
		refused(t, Source{Labels: c.file, ClassNames: strings.Split(c.names, ",")}, 0, c.want)
	}
}

// The columns of probabilities have the names of the classes, or their numbers.
func TestProbabilitiesOfNamedClasses(t *testing.T) {
	datasettest.Here(t, "numbers.csv", "id,1,0\nx,.9,.1\ny,.2,.8\n", "names.csv", "1,none\n.9,.1\n.2,.8\n", "p.npy",
		datasettest.Array("<f4", "2, 2", []float32{.9, .1, .2, .8}))
	s := Source{ClassNames: []string{"0=none"}}
	for _, c := range []struct {
		file    string
		columns []string
	}{{"numbers.csv", nil}, {"names.csv", nil}, {"p.npy", []string{"1", "0"}}, {"p.npy", []string{"1", "none"}}} {
		p := expect.Got(s.ReadProbabilities(c.file, []string{"x", "y"}, []string{"none", "1"}, c.columns))(t)
		expect.Same(t, []float32{.1, .9, .8, .2}, p.Values, c.file)
	}
}

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
