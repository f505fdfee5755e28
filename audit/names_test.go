package audit

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/dataset/own"
)

// Decisions on numbers hold of classes that have names since, and trusted labels too.
func TestWithNames(t *testing.T) {
	s := own.Source{ClassNames: []string{"0=hate", "10=neither"}}
	list := WithNames([]Decision{
		{ID: "a", Given: "0", Label: "10", Action: Other},
		{ID: "b", Given: "neither", Label: "neither", Action: Accept},
		{ID: "c", Given: "1", Action: Skip},
	}, s)
	if d := list[0]; d.Label != "neither" || !d.Holds("hate") {
		t.Errorf("%+v", d)
	}
	if d := list[1]; d.check() != nil || !d.Holds("neither") {
		t.Errorf("%+v", d)
	}
	if d := list[2]; !d.Holds("1") || d.Label != "" {
		t.Errorf("%+v", d)
	}
}

// Names are read once, not for each label: a hundred times the names do not take a hundred times as long.
func TestManyNames(t *testing.T) {
	decisions := make([]Decision, 20_000)
	fastest := func(classes int) time.Duration {
		var s own.Source
		for k := range classes {
			s.ClassNames = append(s.ClassNames, fmt.Sprintf("%d=class %d", k, k))
		}
		best := time.Duration(math.MaxInt64)
		for range 3 {
			for k := range decisions {
				decisions[k] = Decision{Given: strconv.Itoa(k % classes), Label: strconv.Itoa(classes - 1)}
			}
			begun := time.Now()
			WithNames(decisions, s)
			best = min(best, time.Since(begun))
			if d := decisions[classes+1]; d.Given != "class 1" || d.Label != s.ClassNames[classes-1][len(strconv.Itoa(classes-1))+1:] {
				t.Fatalf("%d names: %+v", classes, d)
			}
		}
		return best
	}
	few, many := fastest(10), fastest(1000)
	t.Logf("20,000 decisions: %v with 10 names, %v with 1,000", few, many)
	if many > 20*few {
		t.Errorf("20,000 decisions take %v with 1,000 names, and %v with 10", many, few)
	}
}

// The copy of folders that are numbers keeps their names.
func TestApplyNamedClasses(t *testing.T) {
	root := tree(t, "train/0/1.jpg", "train/0/2.jpg", "train/1/3.jpg", "test/1/4.jpg")
	f := audited(t, root, []string{"train/0/1.jpg", "train/0/2.jpg", "train/1/3.jpg"}, "cat", "dog", "dog")
	s, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	s.Source.ClassNames = []string{"0=cat", "1=dog"}
	issues := []Issue{{ID: "train/0/1.jpg", Given: "cat", Suggested: "cat"}, {ID: "train/0/2.jpg", Given: "cat", Suggested: "dog"}, {ID: "train/1/3.jpg", Given: "dog", Suggested: "dog"}}
	if err := errors.Join(f.WriteSummary(&s), f.WriteIssues(issues)); err != nil {
		t.Fatal(err)
	}
	decide(t, f, Decision{ID: "train/1/3.jpg", Given: "1", Label: "0", Action: Other, Time: moment})
	to := filepath.Join(t.TempDir(), "copy")
	if _, err := f.Apply(t.Context(), to, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"train/0/1.jpg": "train/0/1.jpg", "train/1/2.jpg": "train/0/2.jpg", "train/0/3.jpg": "train/1/3.jpg", "test/1/4.jpg": "test/1/4.jpg"}
	if diff := cmp.Diff(want, below(t, to)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
