package own

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

var (
	withoutFiles = cmpopts.IgnoreFields(dataset.Dataset{}, "Files")
	withoutSums  = cmpopts.IgnoreFields(Original{}, "Sum")

	withoutWordSums = cmpopts.IgnoreFields(dataset.Split{}, "WordSums")
)

func TestOwnFeatures(t *testing.T) {
	const table = "name,f1,f2,f3,weight,species,part,really,sure,shot\n" +
		"a,1,2,3,9,10.0,train,10,1,x\n" +
		"b,4,5e-1,-6,9,9,test,9,,x\n" +
		"c,7,8,9,9,10,val,,no,\n" +
		"d,1,1,1,9,9,train,10,yes,x\n" +
		"e,0,0,1,9,9,train,,,\n"
	datasettest.Here(t, "t.csv", table)
	s := Source{Path: "t.csv", Features: []string{"f1-f2", "f3"}, Label: "species", ID: "name",
		Split: "part", Truth: "really", Trusted: "sure", Group: "shot"}
	d := good(t, s, 0)
	want := &dataset.Dataset{
		Name: "own", Classes: []string{"9", "10"}, Columns: []string{"f1", "f2", "f3"},
		Train: dataset.Split{
			Features: []float32{1, 2, 3, 7, 8, 9, 1, 1, 1, 0, 0, 1}, Shape: []int{3}, Labels: []int{1, 1, 0, 0},
			IDs: []string{"a", "c", "d", "e"}, Group: []int32{0, 1, 0, 2}, Truth: []int{1, -1, 1, -1},
			Trusted: []bool{true, false, true, false},
		},
		Test: dataset.Split{
			Features: []float32{4, .5, -6}, Shape: []int{3}, Labels: []int{0},
			IDs: []string{"b"}, Group: []int32{0}, Truth: []int{0}, Trusted: []bool{false},
		},
	}
	expect.Same(t, want, d, withoutFiles)
	if len(d.Files) != 1 || d.Files[0].Path != "t.csv" || len(d.Files[0].SHA256) != 64 {
		t.Errorf("files: %v", d.Files)
	}
	expect.Same(t, dataset.Vector, expect.Got(s.Kind())(t))
	expect.Same(t, []Original{{}}, shown(t, s, d.Train.IDs[1:2]...))
}

func TestOwnTexts(t *testing.T) {
	datasettest.Here(t, "t.tsv", "text\tlabel\tpart\n"+
		"The cat, the dog.\tpos\ttrain\n"+
		"unseen cat\tneg\ttest\n"+
		"dog\tneg\ttrain\n"+
		"\tneg\ttrain\n"+
		"a bird\tpos\ttrain\n")
	s := Source{Path: "t.tsv", Text: "text", Split: "part", Vocabulary: 7}
	d := good(t, s, 0)
	// By count, then by bytes: dog, the (2), a, bird, cat (1). The longest text has four
	// words after the start.
	want := &dataset.Dataset{
		Name: "own", Classes: []string{"neg", "pos"},
		Words:  []string{"<padding>", "<start>", "<unknown>", "<unused>", "dog", "the", "a"},
		Ranked: []string{"dog", "the", "a", "bird", "cat"},
		Train: dataset.Split{
			Tokens: []int32{1, 5, 2, 5, 4, 0, 0, 0, 1, 4, 0, 0, 0, 0, 1, 0, 0, 1, 6, 2},
			Shape:  []int{5}, Labels: []int{1, 0, 0, 1}, IDs: []string{"0", "2", "3", "4"},
		},
		Test: dataset.Split{Tokens: []int32{0, 0, 0, 1, 2}, Shape: []int{5}, Labels: []int{0}, IDs: []string{"1"}},
	}
	expect.Same(t, want, d, withoutFiles, withoutWordSums)
	expect.Same(t, []Original{{Text: "a bird"}, {Text: "The cat, the dog."}, {Text: "a bird"}},
		shown(t, s, "4", "0", "4"), withoutSums)
	s.Words = 2
	expect.Same(t, []int32{5, 4, 1, 4, 0, 1, 6, 2}, good(t, s, 0).Train.Tokens)
}

// The labels file of a table: by name, or in order.
func TestOwnLabelsFile(t *testing.T) {
	table := "name,x,part\na,1,train\nb,2,train\nc,3,test\nd,4,train\ne,5,train\n"
	for name, content := range map[string]string{
		"y.csv": "name,label,sure\ne,A,\nc,A,\nd,B,\nb,B,1\na,A,\n", "order.csv": "label,sure\nA,\nB,1\nA,\nB,\nA,\n",
		"y.txt": "A\nB\nA\nB\nA", "y.npy": datasettest.Array("|S1", "5,", []byte("ABABA")),
		"numbers.csv": "id,label\n4,A\n2,A\n3,B\n1,B\n0,A\n", "usual.csv": "id,label\ne,A\nc,A\nd,B\nb,B\na,A\n",
	} {
		table := table
		if name == "usual.csv" { // joined by id, though nobody has named it
			table = strings.Replace(table, "name", "id", 1)
		}
		datasettest.Here(t, "t.csv", table, name, content)
		s := Source{Path: "t.csv", Features: []string{"x"}, Labels: name, Split: "part", ID: "name"}
		ids := []string{"a", "b", "d", "e"}
		switch name {
		case "numbers.csv":
			s.ID, ids = "", []string{"0", "1", "3", "4"}
		case "usual.csv":
			s.ID = ""
		}
		if strings.HasSuffix(content, ",\n") {
			s.Trusted = "sure"
		}
		d := good(t, s, 0)
		expect.Same(t, []int{0, 1, 1, 0}, d.Train.Labels, name)
		expect.Same(t, ids, d.Train.IDs, name)
		expect.Same(t, []float32{1, 2, 4, 5}, d.Train.Features, name)
		if s.Trusted != "" && !d.Train.Trusted[1] || len(d.Files) != 2 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestOwnArrays(t *testing.T) {
	const labels = "id,label,part\nu,cat,train\nv,dog,test\nw,dog,train\nx,cat,val\ny,dog,train\n"
	for _, c := range []struct {
		name, content string
		want, test    dataset.Split
	}{
		{"float32", datasettest.Array("<f4", "5, 2", []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
			dataset.Split{Features: []float32{0, 1, 4, 5, 6, 7, 8, 9}, Shape: []int{2}}, dataset.Split{Features: []float32{2, 3},
				Shape: []int{2}}},
		{"int64", datasettest.Array("<i8", "5, 1", []int64{0, -1, 2, 3, 4}),
			dataset.Split{Features: []float32{0, 2, 3, 4}, Shape: []int{1}}, dataset.Split{Features: []float32{-1},
				Shape: []int{1}}},
		{"float16", datasettest.Array("<f2", "5, 1", []uint16{0, 0x3c00, 0x4000, 1, 2}),
			dataset.Split{Halves: []uint16{0, 0x4000, 1, 2}, Shape: []int{1}}, dataset.Split{Halves: []uint16{0x3c00},
				Shape: []int{1}}},
		{"bytes", datasettest.Array("|u1", "5, 2", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
			dataset.Split{X: []byte{0, 1, 4, 5, 6, 7, 8, 9}, Shape: []int{2}}, dataset.Split{X: []byte{2, 3}, Shape: []int{2}}},
		{"grey images", datasettest.Array("|u1", "5, 1, 2", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
			dataset.Split{X: []byte{0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7, 8, 9, 8, 9, 8, 9},
				Shape: []int{3, 1, 2}}, dataset.Split{X: []byte{2, 3, 2, 3, 2, 3}, Shape: []int{3, 1, 2}}},
		{"images", datasettest.Array("|u1", "5, 1, 2, 3", []byte("rgbRGB......rgbRGBrgbRGBrgbRGB")),
			dataset.Split{X: []byte(strings.Repeat("rRgGbB", 4)), Shape: []int{3, 1, 2}}, dataset.Split{X: []byte("......"),
				Shape: []int{3, 1, 2}}},
	} {
		datasettest.Here(t, "x.npy", c.content, "y.csv", labels)
		c.want.Labels, c.want.IDs = []int{0, 1, 0, 1}, []string{"u", "w", "x", "y"}
		c.test.Labels, c.test.IDs = []int{1}, []string{"v"}
		want := &dataset.Dataset{Name: "own", Classes: []string{"cat", "dog"}, Train: c.want, Test: c.test}
		expect.Same(t, want, good(t, Source{Path: "x.npy", Labels: "y.csv", Split: "part"}, 0), withoutFiles, c.name)
	}
}

func TestOwnTestSet(t *testing.T) {
	datasettest.Here(t, "x.npy", datasettest.Array("<f4", "4, 1", []float32{0, 1, 2, 3}), "y.npy",
		datasettest.Array("<f8", "4,", []float64{0, 1, 0, 1}),
		"xt.npy", datasettest.Array("<f4", "2, 1", []float32{7, 8}), "yt.txt", "1\n1\n",
		"t.csv", "id,x,label\na,0,0\nb,1,1\nc,2,0\nd,3,1\n", "u.csv", "id,x,label\na,7,1\nb,8,1\n")
	for _, s := range []Source{
		{Path: "x.npy", Labels: "y.npy", Test: "xt.npy", TestLabels: "yt.txt"},
		{Path: "t.csv", Features: []string{"x"}, Test: "u.csv"},
		{Path: "t.csv", Features: []string{"x"}, Labels: "y.npy", Test: "u.csv", TestLabels: "yt.txt"},
	} {
		want := &dataset.Dataset{Name: "own", Classes: []string{"0", "1"},
			Train: dataset.Split{Features: []float32{0, 1, 2, 3}, Shape: []int{1}, Labels: []int{0, 1, 0, 1},
				IDs: []string{"0", "1", "2", "3"}},
			Test: dataset.Split{Features: []float32{7, 8}, Shape: []int{1}, Labels: []int{1, 1}, IDs: []string{"0", "1"}}}
		expect.Same(t, want, good(t, s, 0), withoutFiles, cmpopts.IgnoreFields(dataset.Dataset{}, "Columns"), s)
	}
}

// A range of columns refers to the training table; other tables may order them differently.
func TestOwnRanges(t *testing.T) {
	datasettest.Here(t, "t.csv", "a,m,n,b,label\n1,2,3,4,p\n1,2,3,4,q\n1,2,3,4,p\n1,2,3,4,q\n", "u.csv",
		"x,b,n,a,more,m,label\n9,4,3,1,9,2,p\n")
	d := good(t, Source{Path: "t.csv", Features: []string{"a-b"}, Test: "u.csv"}, 0)
	expect.Same(t, []float32{1, 2, 3, 4}, d.Test.Features)
	predicted, _, err := OpenNew(t.Context(), Source{Features: d.Columns}, []string{"u.csv"}, Form{Shape: d.Train.Shape},
		dataset.Options{})
	expect.OK(t, err)
	expect.Same(t, []float32{1, 2, 3, 4}, predicted.Features)
	datasettest.Here(t, "t.csv", "a,label,m,right,b,id\n1,p,2,p,3,a\n1,q,2,p,3,b\n1,p,2,p,3,c\n1,q,2,q,3,d\n")
	d = good(t, Source{Path: "t.csv", Features: []string{"a-id"}, Truth: "right"}, 0) // with labels in it
	expect.Same(t, []string{"a", "m", "b"}, d.Columns)
	s := Source{Path: "t.csv", Features: []string{"a", "right"}, Truth: "right"}
	refused(t, s, 0, `the column "right" has the true labels: leave it out of the features`)
	datasettest.Here(t, "t.csv", "a,m,b,label\n1,2,3,p\n1,2,3,q\n1,2,3,p\n1,2,3,q\n", "u.csv",
		"a,other,b,label\n1,2,3,p\n")
	s = Source{Path: "t.csv", Features: []string{"a-b"}, Test: "u.csv"}
	refused(t, s, 0, `u.csv has no column "m"`)
}

func TestOwnArrayPictures(t *testing.T) {
	pixels := make([]byte, 4*100*80*3)
	for k := range pixels {
		pixels[k] = byte(k / (100 * 80 * 3) * 50) // each of one grey
	}
	datasettest.Here(t, "x.npy", datasettest.Array("|u1", "4, 100, 80, 3", pixels), "y.csv",
		"label,part\na,train\nb,test\na,train\nb,train\nb,train\n")
	s := Source{Path: "x.npy", Labels: "y.csv"}
	refused(t, s, 0, "x.npy has 4 examples and y.csv has 5: they do not match")
	datasettest.Here(t, "x.npy", datasettest.Array("|u1", "5, 100, 80, 3", append(pixels, make([]byte, 100*80*3)...)),
		"y.csv", "label,part\na,train\nb,test\na,train\nb,train\nb,train\n")
	s.Split = "part"
	for _, side := range []int{0, 10} {
		s.Side = side
		d := good(t, s, 0)
		if side == 0 {
			side = 64
		}
		expect.Same(t, []int{3, side, side}, d.Train.Shape)
		expect.Same(t, 4*3*side*side, len(d.Train.X))
		if x := d.Train.Example(1); x[0] != 100 || x[len(x)-1] != 100 {
			t.Errorf("side %d: %v, want the grey of the example after the test's, 100", side, x[:3])
		}
	}
	all := shown(t, s, "2", "5")
	img := expect.Got(png.Decode(bytes.NewReader(all[0].Image)))(t)
	expect.Same(t, "image/png", all[0].MIME)
	expect.Same(t, image.Rect(0, 0, 80, 100), img.Bounds())
	expect.Same(t, color.Color(color.RGBA{100, 100, 100, 255}), img.At(79, 99))
	expect.Same(t, nil, all[1].Image, "beyond the end")
}

func TestOwnLabelsOnly(t *testing.T) {
	datasettest.Here(t, "y.npy", datasettest.Array("<i4", "4,", []int32{7, 3, 7, 3}))
	s := Source{Labels: "y.npy"}
	d := good(t, s, 0)
	want := &dataset.Dataset{Name: "own", Classes: []string{"3", "7"}, Train: dataset.Split{Labels: []int{1, 0, 1, 0},
		IDs: []string{"0", "1", "2", "3"}}}
	expect.Same(t, want, d, withoutFiles)
	expect.Same(t, 2, len(shown(t, s, d.Train.IDs[:2]...)))
}

// An example is found by its name wherever it has moved to; where names are the numbers of
// rows, a file that has changed is an error.
func TestOriginalsOfChangedData(t *testing.T) {
	before := "id,text,label\nr1,one,a\nr2,two,b\nr3,three,a\nr4,four,b\n"
	after := "id,text,label\nr3,three,a\nr1,one,a\n"
	for _, c := range []struct {
		id, want string
		ids      []string
	}{{"id", "", []string{"r1", "r2", "r3"}},
		{"", "t.csv has changed, and only the order of its rows identifies the examples", nil}} {
		datasettest.Here(t, "t.csv", before)
		s := Source{Path: "t.csv", Text: "text", ID: c.id}
		d := good(t, s, 0)
		expect.OK(t, s.Unchanged(d.Files))
		datasettest.Put(t, "t.csv", after)
		expect.Fails(t, s.Unchanged(d.Files), c.want, c.id)
		expect.OK(t, s.Unchanged(nil))
		want := []Original{{Text: "one"}, {}, {Text: "three"}}[:len(c.ids)]
		expect.Same(t, want, shown(t, s, c.ids...), withoutSums)
	}
}

func TestClassNames(t *testing.T) {
	for _, c := range []struct{ labels, want string }{
		{"10 9 3.0 -1 9.00", "-1 3 9 10"}, {"10 9 cat", "10 9 cat"}, {"0.5 1.50 3.0", "0.5 1.50 3"}, {"b a", "a b"},
	} {
		var labels []string
		for _, l := range strings.Fields(c.labels) {
			labels = append(labels, className(l), className(" "+l+"\t"))
		}
		expect.Same(t, c.want, strings.Join(classNames(labels), " "), c.labels)
	}
}

func FuzzLabelTable(f *testing.F) {
	names := []string{"y.csv", "y.jsonl", "y.txt", "y.npy"}
	f.Add(0, []byte("id,label,part,really,sure,shot\n1,cat,train,,1,a\n2,dog,val,cat,,\n"))
	f.Add(1, []byte(`{"id": 1, "label": 3.0, "part": "test", "really": null, "sure": true, "shot": ""}`))
	f.Add(2, []byte("cat\ndog\n"))
	f.Add(3, []byte(datasettest.Array("<f4", "2,", []float32{1, 2})))
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		path := filepath.Join(t.TempDir(), names[uint(format)%uint(len(names))])
		expect.OK(t, os.WriteFile(path, content, 0o644))
		for _, s := range []Source{{}, {Split: "part", Truth: "really", Trusted: "sure", Group: "shot"}} {
			y, err := readLabelTable(path, s)
			if err != nil {
				continue
			}
			for _, n := range []int{len(y.ids), len(y.splits), len(y.truths), len(y.trusted), len(y.groups)} {
				if n != 0 && n != len(y.labels) {
					t.Errorf("columns of %d and %d rows", n, len(y.labels))
				}
			}
			x := &labelTable{path: "x", n: y.n}
			if err := x.take(y); err != nil {
				continue
			}
			d := &dataset.Dataset{}
			if _, _, err := describe(d, []*part{{table: x}}, Source{}); err == nil &&
				d.Train.Len()+d.Test.Len()+len(d.Skipped) != len(y.labels) {
				t.Errorf("%d + %d + %d of %d examples", d.Train.Len(), d.Test.Len(), len(d.Skipped), len(y.labels))
			}
		}
	})
}
