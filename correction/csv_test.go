package correction_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A written matrix is read back bit for bit, whatever the classes are called.
func TestMatrixCSVRoundTrip(t *testing.T) {
	random := correctiontest.RandomMatrix(t, rand.New(rand.NewPCG(1, 1)), 3).Rows()
	for _, classes := range [][]string{
		{`with, comma "and" quotes`, "ünï", "c"}, {"0.5", "1.0", "1.5"}, {"1e3", "2e3", "3"}, {"1", "2", "3"},
	} {
		m := expect.Got(correction.NewMatrix(classes, random))(t)
		path := filepath.Join(t.TempDir(), "T.csv")
		expect.OK(t, m.WriteCSV(path))
		got := expect.Got(correction.ReadMatrixCSV(path))(t)
		expect.Same(t, classes, got.Classes())
		expect.Same(t, random, got.Rows())
	}
}

// Spaces, empty lines and a byte order mark are accepted.
func TestReadMatrixCSVAccepts(t *testing.T) {
	m := expect.Got(correction.ReadMatrixCSV(write(t, "\ufeff,0,1\r\n\r\n0, 0.5, 0.5  \r\n1 ,0,1e0 \r\n")))(t)
	expect.Same(t, [][]float64{{.5, .5}, {0, 1}}, m.Rows(), "rows")
}

// Errors name the file, the line and the fault.
func TestReadMatrixCSVRefuses(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ": empty file"},
		{"semicolons", "true;a;b\na;1;0\nb;0;1\n", ":1: header: 0 class names, want at least 2: write the class names, separated by commas"},
		{"not a number", "true,a,b\na,1,0\nb,x,1\n", `:3:3: "x" is not a number`},
		{"NaN", "true,a,b\na,1,0\n\nb,NaN,1\n", ":4: entry T[1][0] (b to a) is not a number"},
		{"row sum", "true,a,b\na,1,0\nb,.3,.3\n", ":3: row 1 (b) sums to 0.6"},
		{"transposed", "true,a,b\na,.5,0\nb,.5,1\n", ": columns sum to 1 and rows do not"},
		{"missing row", "true,a,b\na,1,0\n", ": 1 rows for 2 classes"},
		{"extra row", "true,a,b\na,1,0\nb,0,1\nc,0,1\n", ":4: more rows than the 2 classes"},
		{"short row", "true,a,b\na,1\nb,0,1\n", ":2: row 0 (a) has 1 entries for 2 classes"},
		{"order", "true,a,b\nb,1,0\na,0,1\n", `:2: row of class "b", but the header's order has "a" here`},
		{"same class", "true,a,a\na,1,0\na,0,1\n", ":1: header: classes 0 and 1"},
		{"open quote", "true,a,b\n\"a,1,0\n", `:2:`},
	} {
		path := write(t, test.text)
		expect.Fails(t, expect.Err(correction.ReadMatrixCSV(path)), path+test.want)
	}
	none := filepath.Join(t.TempDir(), "none.csv")
	expect.Fails(t, expect.Err(correction.ReadMatrixCSV(none)), none)
}

// Labels are written by example; slices of two lengths are refused.
func TestWriteLabelsCSV(t *testing.T) {
	clean, noisy := []int{3, 1, 0}, []int{3, 2, 0}
	path := filepath.Join(t.TempDir(), "noisy_labels.csv")
	expect.OK(t, correction.WriteLabelsCSV(path, clean, noisy))
	text := expect.Got(os.ReadFile(path))(t)
	expect.Same(t, "index,clean,noisy\n0,3,3\n1,1,2\n2,0,0\n", string(text), "file")
	expect.Fails(t, correction.WriteLabelsCSV(path, clean, noisy[:2]), "3 clean labels and 2 noisy ones")
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.csv")
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Trusted labels are class names or class numbers; errors name the line and the fault.
func TestReadTrustedCSV(t *testing.T) {
	read := func(text string) ([]correction.Trusted, error) {
		return correction.ReadTrustedCSV(write(t, text), 5, []string{"cat", "dog", "0"})
	}
	got := expect.Got(read("\ufeffindex,label\r\n4,dog\r\n0,1\r\n2,0\r\n"))(t)
	want := []correction.Trusted{{Index: 4, Label: 1}, {Index: 0, Label: 1}, {Index: 2, Label: 2}}
	expect.Same(t, want, got, "labels")
	for text, want := range map[string]string{
		"":                            "file.csv: the file has no labels",
		"index,label\n":               "file.csv: the file has no labels",
		"x,label\n":                   ":1: header",
		"index,label\n5,cat\n":        `:2: index "5", want a whole number in [0, 5)`,
		"index,label\n1,cat\n1,cat\n": ":3: example 1 is in line 2 already",
		"index,label\n1,cow\n":        `:2: no class "cow": use one of cat, dog, 0`,
		"index,label\n1,3\n":          `:2: no class "3"`,
		"index,label\n1,cat,3\n":      ":2:1: wrong number of fields",
	} {
		expect.Fails(t, expect.Err(read(text)), want)
	}
}

// DrawTrusted takes the first examples of each class in the given order.
func TestDrawTrusted(t *testing.T) {
	got := correction.DrawTrusted([]int{0, 1, 0, 0, 2}, []int{3, 4, 2, 1, 0}, 2)
	want := []correction.Trusted{{Index: 3, Label: 0}, {Index: 4, Label: 2}, {Index: 2, Label: 0}, {Index: 1, Label: 1}}
	expect.Same(t, want, got, "labels")
}
