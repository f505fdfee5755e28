package own

import (
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

// Bad data gives one error that names the file and the place.
func TestOwnErrors(t *testing.T) {
	const good = "id,x,label\na,1,p\nb,2,q\nc,3,p\nd,4,q\n"
	features := func(s Source) Source {
		s.Path, s.Features = "t.csv", []string{"x"}
		return s
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		source Source
		want   string
		files  []string
	}{
		{Source{}, "no data was given: name its path", nil},
		{Source{Path: "t.csv"},
			`t.csv: name the column of the text with --text, or the columns of numbers with --features; its columns are "id", "x", "label"`,
			nil},
		{Source{Path: "t.csv", Text: "x", Features: []string{"x"}},
			"t.csv: use a column of text or columns of features, not both", nil},
		{Source{Path: "t.csv", Text: "x"},
			`t.csv has no column "label" (columns: ["id" "x" "class"]): name the column of the labels with --label`,
			[]string{"t.csv", strings.Replace(good, "label", "class", 1)}},
		{Source{Path: "t.csv", Features: []string{"label-x"}},
			`t.csv: "label-x" is not a range: "x" comes before "label"`, nil},
		{Source{Path: "t.csv", Features: []string{"x", "id-x"}}, `t.csv: the feature "x" is named twice`, nil},
		{features(Source{}), "t.csv:4: 4 fields, but there are 3 columns",
			[]string{"t.csv", "id,x,label\na,1,p\nb,2,q\nc,3,p,4\n"}},
		{features(Source{}), `t.csv:3: column "x": nan: fill in missing values`,
			[]string{"t.csv", strings.Replace(good, "2", "nan", 1)}},
		{features(Source{}), `t.csv:3: column "x": 1e39 is too large for float32`,
			[]string{"t.csv", strings.Replace(good, "2", "1e39", 1)}},
		{features(Source{}), `t.csv:3: column "x": the cell is empty: fill in missing values`,
			[]string{"t.csv", strings.Replace(good, "2", "", 1)}},
		{features(Source{}), `t.csv:3: column "x": "red" is not a number`,
			[]string{"t.csv", strings.Replace(good, "2", "red", 1)}},
		{features(Source{}), `t.csv: 1 example without a label (1): add labels, or leave these examples out with --max-bad 1`,
			[]string{"t.csv", strings.Replace(good, "2,q", "2,", 1) + "e,5,q\n"}},
		{features(Source{Split: "id"}), `t.csv:2: column "id": unknown split "a": want train, val or test`, nil},
		{features(Source{Trusted: "y"}), `t.csv:3: column "y": "2": want 1, true or yes`,
			[]string{"t.csv", "x,y,label\n1,1,p\n2,2,q\n"}},
		{features(Source{}), `t.csv: all 4 training labels are "p": want two classes or more`,
			[]string{"t.csv", strings.ReplaceAll(good, "q", "p")}},
		{features(Source{Label: "y"}), "t.csv: 12 training examples have different labels, 12 (",
			[]string{"t.csv", "x,y\n1,1\n1,2\n1,3\n1,4\n1,5\n1,6\n1,7\n1,8\n1,9\n1,10\n1,11\n1,12\n"}},
		{features(Source{Split: "s"}), `classes without a training example, each with a test example: 1 ("r of 4")`,
			[]string{"t.csv", "x,label,s\n1,p,train\n2,q,train\n3,p,train\n4,q,train\n5,r,test\n"}},
		{features(Source{Split: "s", Test: "u.csv"}),
			`t.csv has test examples (1 ("4")), and u.csv is a second test set: use one of them`,
			[]string{"t.csv", "x,label,s\n1,p,train\n2,q,train\n3,p,train\n4,q,train\n5,q,test\n", "u.csv", "x,label\n1,p\n"}},
		{features(Source{ID: "id", Labels: "y.csv"}),
			`t.csv has 4 examples and y.csv has 5: they do not match: 1 ("b") only in the first; 2 ("e", "f") only in the second`,
			[]string{"y.csv", "id,label\na,p\nc,p\nd,q\ne,q\nf,q\n"}},
		{features(Source{Labels: "y.npy"}),
			"3 training examples: want at least 4, and a few hundred for a useful result " +
				"(1 unusable files or labels: 1: no label in y.npy)",
			[]string{"y.npy", datasettest.Array("<f4", "4,", []float32{1, nan, 0, 0})}},
		{features(Source{Labels: "y.npy"}), "y.npy: element 1: 0.5 is not a class: want whole numbers",
			[]string{"y.npy", datasettest.Array("<f4", "2,", []float32{1, .5})}},
		{features(Source{Labels: "y.txt"}), "y.txt: not UTF-8 text: 0x00 at byte 1, counted from 0: convert it",
			[]string{"y.txt", "p\x00\n\x00q\x00\n\x00"}},
		{features(Source{Labels: "y.npy"}),
			"y.npy has the shape [2 2]: want one label per example, [N]; convert one-hot rows with numpy.argmax(y, 1)",
			[]string{"y.npy", datasettest.Array("|u1", "2, 2", []byte{1, 0, 0, 1})}},
		{features(Source{Labels: "y.xml"}), "y.xml: unknown ending for a file of labels: want .csv", []string{"y.xml", "<"}},
		{Source{Path: "t.csv", Text: "x", Vocabulary: 4}, "a vocabulary of 4: want more than 4", nil},
		{features(Source{Labels: "y.txt", Label: "label"}),
			`y.txt has only labels: a column "label" (--label) needs a table of labels (--labels)`,
			[]string{"y.txt", "p\nq\np\nq\n"}},
		{Source{Path: "t.csv", Text: "x", Test: "x.npy"},
			"the test set x.npy has another form than t.csv: want the same", nil},
		{Source{Path: "x.npy"}, "x.npy: name the file of its labels with --labels, or --test-labels",
			[]string{"x.npy", datasettest.Array("<f4", "4, 1", []float32{1, 2, 3, 4})}},
		{Source{Path: ".", Features: []string{"x"}},
			".: only tables have columns of texts and features (--text, --features)", nil},
		{Source{Path: "x.npy", Labels: "y.txt"}, "x.npy: row 2, column 1 (from 0) is NaN",
			[]string{"x.npy", datasettest.Array("<f4", "4, 2", []float32{1, 2, 3, 4, 5, nan, 7, 8}), "y.txt", "p\nq\np\nq\n"}},
		{Source{Path: "x.npy", Labels: "y.txt"}, "x.npy: row 1, column 0 (from 0) is NaN, infinite",
			[]string{"x.npy", datasettest.Array("<f2", "4, 1", []uint16{1, 0x7c00, 2, 3}), "y.txt", "p\nq\np\nq\n"}},
		{Source{Path: "x.npy", Labels: "y.txt"}, "x.npy: array of float32 [4]: want features [N D] or images",
			[]string{"x.npy", datasettest.Array("<f4", "4,", []float32{1, 2, 3, 4})}},
		{Source{Path: "x.npy"}, "x.npy: array of |S1 [2 1]: want numbers; texts are read from tables",
			[]string{"x.npy", datasettest.Array("|S1", "2, 1", []byte("ab"))}},
		{Source{Path: "x.npy"}, "for images want bytes, x.astype('uint8') with values from 0 to 255",
			[]string{"x.npy", datasettest.Array("<f4", "1, 1, 1, 3", []float32{0, 0, 0})}},
		{Source{Path: "x.npy"}, "want images [N H W C] with 1 or 3 channels; convert [N C H W] with numpy.moveaxis(x, 1, -1)",
			[]string{"x.npy", datasettest.Array("|u1", "1, 3, 2, 2", make([]byte, 12))}},
		{Source{Path: "x.npy", Labels: "y.txt", Test: "u.npy"},
			"examples of x.npy are float32 [1], but those of u.npy are float32 [2]: want the same",
			[]string{"x.npy", datasettest.Array("<f4", "1, 1", []float32{1}), "y.txt", "p\n", "u.npy",
				datasettest.Array("<f4", "1, 2", []float32{1, 2})}},
	} {
		datasettest.Here(t, append([]string{"t.csv", good}, c.files...)...)
		refused(t, c.source, 0, c.want)
	}
}
