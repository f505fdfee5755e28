package audit

import (
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// duplicates.csv has the pairs with different labels first, then those across splits, and is read as it was
// written.
func TestDuplicatesFile(t *testing.T) {
	f := At(t.TempDir())
	pair := func(exact bool, similarity float64, a, b Member) Duplicate {
		d := Duplicate{Exact: exact, A: a, B: b}
		if similarity != 0 {
			d.Similarity = &similarity
		}
		return d
	}
	cat, dog, test := Member{"=a,1", "train", "cat"}, Member{"b", "train", "dog"}, Member{"c", "test", "cat"}
	all := []Duplicate{pair(false, 0, cat, cat), pair(true, 1, cat, cat), pair(false, .95, cat, test),
		pair(false, .97, cat, test), pair(false, 0, cat, dog), pair(false, .5, test, dog)}
	expect.OK(t, f.WriteDuplicates(all))
	expect.Same(t, []Duplicate{all[5], all[4], all[3], all[2], all[1], all[0]}, expect.Got(f.Duplicates())(t))
	empty := At(t.TempDir())
	expect.OK(t, empty.WriteDuplicates(nil))
	if _, err := os.Stat(empty.Path(DuplicatesFile)); err == nil {
		t.Error("a file of no duplicates")
	}
	for _, line := range []string{"twin,1,a,train,x,b,train,y", "near,2,a,train,x,b,train,y",
		"near,NaN,a,train,x,b,train,y"} {
		put(t, f.Path(DuplicatesFile), strings.Join(duplicatesHeader, ",")+"\n"+line+"\n")
		if _, err := f.Duplicates(); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}
