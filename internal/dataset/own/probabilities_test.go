package own

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Every form gives the same probabilities of the examples u, v, w for classes dog, cat.
func TestReadProbabilities(t *testing.T) {
	type row struct {
		ID  string  `parquet:"id"`
		Cat float32 `parquet:"cat"`
		Dog float64 `parquet:"dog"`
	}
	var pq bytes.Buffer
	expect.OK(t, parquet.Write(&pq, []row{{"w", 1, 0}, {"u", .25, .75}, {"v", .5, .5}}))
	want := []float32{.75, .25, .5, .5, 0, 1}
	for name, content := range map[string]string{
		"p.npy": datasettest.Array("<f4", "3, 2", want), "double.npy": datasettest.Array("<f8", "3, 2",
			[]float64{.75, .25, .5, .5, 0, 1}),
		"half.npy":   datasettest.Array("<f2", "3, 2", []uint16{0x3a00, 0x3400, 0x3800, 0x3800, 0, 0x3c00}),
		"plain.csv":  ".75,.25\n.5,.5\n0,1\n",
		"named.csv":  "cat,dog\n.25,.75\n.5,.5\n1,0\n",
		"pandas.csv": ",dog,cat\n0,.75,.25\n1,.5,.5\n2,0,1\n",
		"joined.tsv": "dog\tid\tcat\n0\tw\t1\n.5\tv\t.5\n.75\tu\t.25\n",
		"joined.jsonl": `{"id": "v", "dog": 0.5, "cat": 0.5}` + "\n" + `{"id": "u", "dog": 0.75, "cat": 0.25}` + "\n" +
			`{"id": "w", "dog": 0, "cat": 1}`,
		"p.parquet":     pq.String(),
		"predicted.csv": "id,class,dog,cat\nw,cat,0,1\nv,dog,.5,.5\nu,dog,.75,.25\n",
		"rounded.csv":   "dog,cat\n.7501,.2501\n.5,.5\n0,1\n",
	} {
		datasettest.Here(t, name, content)
		got := expect.Got(Source{}.ReadProbabilities(name, []string{"u", "v", "w"}, []string{"dog", "cat"}, nil))(t)
		rounding := 0.
		if name == "rounded.csv" {
			rounding = 1e-4
		}
		expect.Same(t, want, got.Values, cmpopts.EquateApprox(0, rounding), name)
	}
}

// Names that begin as formulas have an apostrophe in the CSV files of the program.
func TestProbabilitiesOfEscapedNames(t *testing.T) {
	datasettest.Here(t, "p.csv", "id,'=a,'+b\n'-y,.2,.8\n'-x,.9,.1\n")
	got := expect.Got(Source{}.ReadProbabilities("p.csv", []string{"-x", "-y"}, []string{"+b", "=a"}, nil))(t)
	expect.Same(t, []float32{.1, .9, .8, .2}, got.Values)
}

// Columns 0 and 1 are names in either order, though their sum is 1, unless they are the row of the first example.
func TestProbabilitiesOfNumberedClasses(t *testing.T) {
	for content, want := range map[string][]float32{
		"0,1\n.9,.1\n.2,.8\n": {.9, .1, .2, .8}, "1,0\n.9,.1\n.2,.8\n": {.1, .9, .8, .2},
		"0,1\n.2,.8\n": {0, 1, .2, .8}, "1,0\n.2,.8\n": {1, 0, .2, .8}, "1,0\n.5,.25\n": {1, 0, 2. / 3, 1. / 3},
	} {
		datasettest.Here(t, "p.csv", content)
		got := expect.Got(Source{}.ReadProbabilities("p.csv", []string{"0", "1"}, []string{"0", "1"}, nil))(t)
		expect.Same(t, want, got.Values, content)
	}
}

// Rows of rounded numbers, and of the largest few, are divided by their sums, which is a finding.
func TestProbabilitiesThatDoNotAddUp(t *testing.T) {
	want := []float32{1. / 3, 1. / 3, 1. / 3, .75, .25, 0, .5, .25, .25}
	for name, content := range map[string]string{
		"plain.csv": ".33,.33,.33\n.6,.2,0\n.5,.25,.25\n",
		"named.csv": "b,c,a\n.33,.33,.33\n.2,0,.6\n.25,.25,.5\n",
		"p.npy":     datasettest.Array("<f4", "3, 3", []float32{.33, .33, .33, .6, .2, 0, .5, .25, .25}),
	} {
		datasettest.Here(t, name, content)
		p := expect.Got(Source{}.ReadProbabilities(name, []string{"x", "y", "z"}, []string{"a", "b", "c"}, nil))(t)
		expect.Same(t, want, p.Values, cmpopts.EquateApprox(0, 1e-6), name)
		finding := "2 rows of " + name +
			" with a sum of 0.8 to 0.99 rather than 1, perhaps from rounding: divided by their sums"
		expect.Same(t, []string{finding}, p.Findings, name)
	}
}

// A class of the columns may have no label, where the columns have names or are numbered.
func TestProbabilitiesOfClassesWithoutLabels(t *testing.T) {
	array := datasettest.Array("<f4", "2, 3", []float32{.7, .2, .1, .2, .3, .5})
	for _, c := range []struct {
		name, content    string
		labels, columns  []string
		classNames, want []string
		first            []float32
	}{
		{name: "p.npy", content: array, labels: []string{"0", "2"}, want: []string{"0", "1", "2"},
			first: []float32{.7, .2, .1}},
		{name: "p.npy", content: array, labels: []string{"b", "z"}, columns: []string{"z", "b", "a"},
			want: []string{"a", "b", "z"}, first: []float32{.1, .2, .7}},
		{name: "p.csv", content: "10,9,2\n.7,.2,.1\n.2,.3,.5\n", labels: []string{"2", "10"}, want: []string{"2", "9", "10"},
			first: []float32{.1, .2, .7}},
		{name: "p.npy", content: array, labels: []string{"zero", "two"}, classNames: []string{"0=zero", "2=two"},
			want: []string{"zero", "1", "two"}, first: []float32{.7, .2, .1}},
	} {
		datasettest.Here(t, c.name, c.content)
		s := Source{ClassNames: c.classNames}
		p := expect.Got(s.ReadProbabilities(c.name, []string{"x", "y"}, c.labels, c.columns))(t)
		expect.Same(t, c.want, p.Classes, c)
		expect.Same(t, c.first, p.Values[:3], c)
		expect.Same(t, 1, len(p.Findings), p.Findings)
		expect.Says(t, p.Findings, "[columns of "+c.name+" for classes without labels: ")
	}
}

// The columns of a file without names, and of one whose names are no classes, have those that
// are given.
func TestProbabilitiesOfGivenColumns(t *testing.T) {
	for name, content := range map[string]string{
		"p.npy": datasettest.Array("<f4", "2, 2", []float32{.9, .1, .2, .8}), "plain.csv": ".9,.1\n.2,.8\n",
		"p.csv": "p0,p1\n.9,.1\n.2,.8\n",
	} {
		datasettest.Here(t, name, content)
		got := expect.Got(Source{}.ReadProbabilities(name, []string{"u", "v"}, []string{"cat", "dog"},
			[]string{"dog", "cat"}))(t)
		expect.Same(t, []float32{.1, .9, .8, .2}, got.Values, name)
		expect.Same(t, false, got.Named, name)
	}
	for _, c := range []struct {
		file, want string
		columns    []string
	}{
		{"named.csv", `the columns of named.csv are named "cat", "dog", in another order than --classes: remove --classes`,
			[]string{"dog", "cat"}},
		{"p.npy", `--classes names 1 classes ("dog"), but p.npy has 2 columns of classes`, []string{"dog"}},
		{"p.npy", `--classes names "dog" twice`, []string{"dog", "dog"}},
		{"p.npy", `but p.npy has 2 columns of classes ("dog", "cow"): name the class of each column`, []string{"dog", "cow"}},
	} {
		datasettest.Here(t, "p.npy", datasettest.Array("<f4", "2, 2", []float32{.9, .1, .2, .8}), "named.csv",
			"cat,dog\n.9,.1\n.2,.8\n")
		_, err := Source{}.ReadProbabilities(c.file, []string{"u", "v"}, []string{"cat", "dog"}, c.columns)
		expect.Says(t, err, c.want)
	}
}

func TestProbabilityErrors(t *testing.T) {
	nan := float32(math.NaN())
	three := func(row ...float32) string {
		return datasettest.Array("<f4", "2, 3", append([]float32{.2, .3, .5}, row...))
	}
	for _, c := range []struct{ file, content, want string }{
		{"p.npy", three(.1, .2, .1), "p.npy: row 1 (from 0) adds up to 0.4, want 1"},
		{"p.npy", three(.2, nan, .4), "p.npy: row 1 (from 0) has NaN in column 1 (from 0)"},
		{"p.npy", three(-2.5, 4, 1), "p.npy: row 1 (from 0) has numbers from -2.5 to 4: want probabilities " +
			"from 0 to 1, such as the softmax of logits"},
		{"p.npy", datasettest.Array("<f4", "2, 3", []float32{1, 0, 0, 0, 0, 1}),
			"p.npy looks like predicted classes (argmax): all its rows are one-hot"},
		{"p.npy", datasettest.Array("<i8", "2,", []int64{1, 2}),
			"p.npy: array of int64 [2]: want numbers [N C], a row per example; predicted classes (argmax) are not enough"},
		{"p.npy", datasettest.Array("<f4", "1, 3", []float32{.2, .3, .5}),
			"the data has 2 examples and p.npy has 1: they do not match"},
		{"p.npy", datasettest.Array("<f4", "2, 2", []float32{.5, .5, .4, .6}),
			`the labels have 3 classes ("a", "b", "c"), but p.npy has 2 columns of classes: name the class of each column`},
		{"p.npy", datasettest.Array("<f4", "2, 4", []float32{.5, .5, 0, 0, .4, .6, 0, 0}),
			"name the class of each column, even if no label has it, with --classes"},
		{"p.csv", "a,b,c,margin\n.2,.3,.5,.2\n.2,.3,.5,.2\n",
			`p.csv: the columns "margin" are not classes of the labels, and rows do not add up to 1`},
		{"p.csv", "a,b,d\n.2,.3,.5\n.2,.3,.5\n",
			`p.csv has 3 columns of classes ("a", "b", "d"): name the class of each column`},
		{"p.csv", "id,a,b,c\nx,.2,.3,.5\nz,.2,.3,.5\n",
			`the data has 2 examples and p.csv has 2: they do not match: 1 ("y") only in the first; 1 ("z") only in the second`},
		{"p.csv", "a,b,c\n.2,.3,.5\n.2,many,.5\n", `p.csv:3: column "b": "many" is not a number`},
		{"p.csv", "a,b,c\n.2,.3,.5\n.2,.3\n", "p.csv:3: 2 fields, but there are 3 columns"},
		{"p.csv", "a,b,c\n", "p.csv has no row"},
		{"p.txt", ".5 .5", "p.txt: unknown ending for a file of probabilities: want .npy, .csv"},
	} {
		datasettest.Here(t, c.file, c.content)
		_, err := Source{}.ReadProbabilities(c.file, []string{"x", "y"}, []string{"a", "b", "c"}, nil)
		expect.Says(t, err, c.want)
	}
}
