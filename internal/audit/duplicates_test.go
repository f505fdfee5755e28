package audit

import (
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// duplicates.csv has the pairs with different labels first, then those across splits.
func TestDuplicatesFile(t *testing.T) {
	f := At(t.TempDir())
	pair := func(exact bool, similarity float64, a, b Member) Duplicate {
		d := Duplicate{Exact: exact, A: a, B: b}
		if similarity != 0 {
			d.Similarity = &similarity
		}
		return d
	}
	cat, dog, test := Member{ID: "=a,1", Split: "train", Label: "cat"},
		Member{ID: "b", Split: "train", Label: "dog"}, Member{ID: "c", Split: "test", Label: "cat"}
	all := []Duplicate{pair(false, 0, cat, cat), pair(true, 1, cat, cat), pair(false, .95, cat, test),
		pair(false, .97, cat, test), pair(false, 0, cat, dog), pair(false, .5, test, dog)}
	expect.OK(t, f.WriteDuplicates(all))
	expect.Same(t, `kind,similarity,id,split,label,other_id,other_split,other_label
near,0.5000,c,test,cat,b,train,dog
near,,"'=a,1",train,cat,b,train,dog
near,0.9700,"'=a,1",train,cat,c,test,cat
near,0.9500,"'=a,1",train,cat,c,test,cat
exact,1.0000,"'=a,1",train,cat,"'=a,1",train,cat
near,,"'=a,1",train,cat,"'=a,1",train,cat
`, string(read(t, f.Path(DuplicatesFile))))
	empty := At(t.TempDir())
	expect.OK(t, empty.WriteDuplicates(nil))
	if _, err := os.Stat(empty.Path(DuplicatesFile)); err == nil {
		t.Error("a file of no duplicates")
	}
}
