package find

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// An audit takes the view whose networks predict most of the given labels, in whatever order the
// views are tried, or the mean of views that predict different ones, which needs no second
// stage. Loss and posteriors are calibrated, so overconfident networks do no harm.
func TestLookTakesTheBestView(t *testing.T) {
	share := func(n int) func(int) bool { return func(i int) bool { return i/5%10 < n } }
	for _, tt := range []struct {
		name   string
		blind  map[string]func(int) bool // "" is a network on the data itself
		order  []string
		first  string
		used   int
		stages []int
		note   string
	}{
		{"the better first", map[string]func(int) bool{"tfidf": share(1), "": share(6)}, []string{"tfidf", ""}, "tfidf", 1,
			[]int{1, 1}, "views by loss: tfidf "},
		{"the better last", map[string]func(int) bool{"tfidf": share(1), "": share(6)}, []string{"", "tfidf"}, "tfidf", 1,
			[]int{1, 1}, "views by loss: tfidf "},
		{"two that differ", map[string]func(int) bool{"tfidf": share(2), "": func(i int) bool {
			return i/5%10 > 7
		}}, []string{"tfidf", ""}, "", 2, []int{1, 1}, "views by loss: "},
		{"two stages where the best has them", map[string]func(int) bool{"tfidf": share(7), "": share(0)},
			[]string{"tfidf", ""}, "net", 1, []int{1, 1, 2, 3}, "views by loss: net "},
	} {
		s := newStaged(t)
		s.blind = tt.blind
		for _, view := range tt.order {
			c := s.Networks
			c.Model, c.Source = "net", own.Source{View: view}
			s.Candidates = append(s.Candidates, c)
		}
		found := expect.Got(s.work.find(t.Context(), s.folder))(t)
		used := 0
		for _, v := range found.Views {
			if v.Used {
				used++
			}
		}
		if len(found.Views) != 2 || tt.first != "" && found.Views[0].Name != tt.first || used != tt.used ||
			found.Views[0].Loss > found.Views[1].Loss {
			t.Errorf("%s: views %+v, want %d used and %q first", tt.name, found.Views, tt.used, tt.first)
		}
		expect.Same(t, tt.stages, s.stages)
		if !slices.ContainsFunc(s.notes, func(text string) bool { return strings.HasPrefix(text, tt.note) }) {
			t.Errorf("%s: no note begins with %q: %q", tt.name, tt.note, s.notes)
		}
		if tt.stages[len(tt.stages)-1] == 1 && (found.Posterior != firstPosterior || len(found.Runs) != 3*tt.used) {
			t.Errorf("%s: posterior %q of runs %v", tt.name, found.Posterior, found.Runs)
		}
		mistaken := 0
		for i, wrong := range found.Judgement.Wrong {
			blind := s.blind[""](i) || s.blind["tfidf"](i)
			if is := s.truth[i] != s.Data.Train.Labels[i]; is != (wrong > .5) && !blind {
				mistaken++
			}
		}
		if mistaken > len(s.truth)/50 {
			t.Errorf("%s: %d labels are judged wrongly", tt.name, mistaken)
		}
	}
}
