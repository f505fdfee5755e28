package own

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The sum of an example is that of what is shown of it, and changes with it and nothing else;
// the fingerprint changes with any file.
func TestSums(t *testing.T) {
	for name, tt := range map[string]struct {
		source Source
		files  []datasettest.Entry
		ids    []string
		change datasettest.Entry
	}{
		"texts": {
			Source{Path: "t.csv", Text: "text", ID: "id"},
			[]datasettest.Entry{{Name: "t.csv", Content: "id,text,label\na,one,x\nb,two,y\n"}},
			[]string{"a", "b"}, datasettest.Entry{Name: "t.csv", Content: "id,text,label\na,one,y\nb,three,y\n"},
		},
		"images": {
			Source{Path: "photos"}, []datasettest.Entry{{Name: "photos/x/a.png", Content: datasettest.Grey(t, 10)},
				{Name: "photos/y/b.png", Content: datasettest.Grey(t, 20)}},
			[]string{"x/a.png", "y/b.png"}, datasettest.Entry{Name: "photos/y/b.png", Content: datasettest.Grey(t, 30)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			datasettest.Unpack(t, dir, tt.files)
			sums := func() []uint64 {
				t.Helper()
				all, err := expect.Got(Open(tt.source))(t).Sums(t.Context(), append(tt.ids, "none"))
				if err != nil || all[0] == 0 || all[1] == 0 || all[2] != 0 {
					t.Fatal(all, err)
				}
				seen := shown(t, tt.source, tt.ids...)
				expect.Same(t, all[:2], []uint64{seen[0].Sum, seen[1].Sum})
				return all
			}
			print := func() string {
				t.Helper()
				return expect.Got(tt.source.Fingerprint())(t)
			}
			before, first := sums(), print()
			expect.Same(t, first, print(), "another fingerprint of the same files")
			datasettest.Unpack(t, dir, []datasettest.Entry{tt.change})
			if after := sums(); after[0] != before[0] || after[1] == before[1] {
				t.Errorf("%v, before %v", after, before)
			}
			if print() == first {
				t.Error("the same fingerprint of other files")
			}
		})
	}
	sums := expect.Got(expect.Got(Open(Source{Labels: "y.txt"}))(t).Sums(t.Context(), []string{"0"}))(t)
	expect.Same(t, nil, sums, "labels alone")
	expect.Says(t, expect.Err(Source{Path: "nothing.csv", Text: "text"}.Fingerprint()), "no such file")
}
