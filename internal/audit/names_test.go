package audit

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset/own"
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
