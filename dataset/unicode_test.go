package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The two forms of é, composed and decomposed.
const (
	composed   = "caf\u00e9"
	decomposed = "cafe\u0301"
)

// A class in two forms of Unicode is one, wherever its name stands, and the check says so. Names of
// files stay as they are.
func TestOwnUnicodeForms(t *testing.T) {
	for name, s := range map[string]struct {
		files  []string
		source Source
	}{
		"table":  {[]string{"t.csv", "id,x,label,t\na" + decomposed + ",1," + composed + "," + decomposed + "\nb,2," + decomposed + ",\nc,3,tea,\nd,4,tea,\n"}, Source{Path: "t.csv", ID: "id", Features: []string{"x"}, Truth: "t"}},
		"lines":  {[]string{"x.npy", array("<f4", "4, 1", []float32{1, 2, 3, 4}), "y.txt", composed + "\n" + decomposed + "\ntea\ntea\n"}, Source{Path: "x.npy", Labels: "y.txt"}},
		"labels": {[]string{"y.csv", "label\n" + composed + "\n" + decomposed + "\ntea\ntea\n"}, Source{Labels: "y.csv"}},
	} {
		t.Run(name, func(t *testing.T) {
			here(t, s.files...)
			d, err := OpenOwn(t.Context(), s.source, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{composed, "tea"}, d.Classes); diff != "" {
				t.Error(diff)
			}
			if name == "table" && (d.Train.IDs[0] != "a"+decomposed || d.Train.Truth[0] != 0) {
				t.Errorf("names %q, true labels %v", d.Train.IDs, d.Train.Truth)
			}
			r, err := Check(t.Context(), d, s.source, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.Findings, func(f string) bool {
				return strings.Contains(f, "differ only in their form of Unicode") && strings.Contains(f, composed)
			}) {
				t.Errorf("findings %q", r.Findings)
			}
		})
	}
	isolate(t)
	dir := album(t, shaded(t, composed+"/1.png", decomposed+"/2.png", "tea/1.png", "tea/2.png")...)
	d, err := OpenOwn(t.Context(), Source{Path: dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{composed, "tea"}, d.Classes); diff != "" || !slices.Contains(d.Train.IDs, decomposed+"/2.png") {
		t.Error(diff, d.Train.IDs)
	}
	here(t, "p.csv", decomposed+",tea\n.9,.1\n.2,.8\n", "y.csv", "id,label\n1,"+decomposed+"\n2,tea\n")
	if p, named, err := (Source{}).ReadProbabilities("p.csv", []string{"0", "1"}, []string{composed, "tea"}, nil); err != nil || !named || p[0] != .9 {
		t.Error(p, named, err)
	}
	if l, err := ReadLabels("y.csv"); err != nil || l["1"] != composed {
		t.Error(l, err)
	}
}

// Names that look the same in two scripts are found, alone and beside their double.
func TestCheckLookalikes(t *testing.T) {
	d := &Dataset{Classes: []string{"cat", "c\u0430t", "dog", "\u043a\u043e\u0442", "\u03b2-carotene"}}
	d.Train.Labels = []int{0, 1, 2, 3, 4}
	r, err := Check(t.Context(), d, Source{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Findings, "\n")
	for _, want := range []string{"the classes \"cat\" and \"c\u0430t\" differ only by letters of another script that look alike", `1 class with letters of two scripts that look alike, such as the Cyrillic and the Latin a: cаt ("c\u0430t")`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s\nwant %q", all, want)
		}
	}
}
