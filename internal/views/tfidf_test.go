package views

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// Weights as scikit-learn 1.9.1 computes them: TfidfVectorizer(ngram_range=(1, 2), min_df=2,
// sublinear_tf=True) of these texts.
func TestTFIDF(t *testing.T) {
	texts := []string{"The film is good. GOOD film, good!", "the film is bad", "bad: very bad; the worst", "good"}
	v := expect.Got(NewTFIDF(texts))(t)
	expect.Same(t, []string{"bad", "film", "film is", "good", "is", "the", "the film"}, v.Terms)
	expect.Same(t, []int32{2, 2, 2, 2, 2, 3, 2}, v.Counts)
	got := expect.Got(v.Features(append(texts, "unseen words", "film the")))(t)
	want := [][]float64{
		{0, .5122207, .3025258, .6348844, .3025258, .2449207, .3025258},
		{.4205012, .4205012, .4205012, 0, .4205012, .3404319, .4205012},
		{.9021715, 0, 0, 0, 0, .4313775, 0},
		{0, 0, 0, 1, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, 0},
		{0, .7772212, 0, 0, 0, .6292275, 0},
	}
	expect.Same(t, len(want), got.Rows())
	for i, row := range want {
		all := make([]float64, len(v.Terms))
		for e := got.Starts[i]; e < got.Starts[i+1]; e++ {
			all[got.Columns[e]] = float64(got.Values[e])
		}
		expect.Same(t, row, all, cmpopts.EquateApprox(0, 1e-6), i)
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"Don't -- stop'; it’s OK": "don't|stop|it’s|ok",
		"'quoted' x_1":            "quoted|x_1",
		"ÜBER<br />Käse 3.5":      "über|br|käse|3|5",
		"你好 world":                "你|好|world",
		"x'":                      "x",
	} {
		expect.Same(t, want, strings.Join(slices.Collect(split(text)), "|"), text)
	}
}

// A state computes the same features after it is written and read, and a damaged state is refused.
func TestStateOfTFIDF(t *testing.T) {
	texts := []string{"good film", "bad film", "good bad film"}
	train := dataset.Split{Texts: texts, Labels: make([]int, 3), Shape: []int{1}}
	s := expect.Got(Fit("tfidf", train))(t)
	data := expect.Got(json.Marshal(s))(t)
	var read State
	expect.OK(t, json.Unmarshal(data, &read))
	expect.OK(t, read.Check(len(s.TFIDF.Terms)))
	other := train
	for state, split := range map[*State]*dataset.Split{s: &train, &read: &other} {
		expect.OK(t, state.Apply(t.Context(), split))
	}
	expect.Same(t, train, other)
	expect.Same(t, nil, train.Texts)
	expect.Same(t, []int{len(s.TFIDF.Terms)}, train.Shape)
	expect.Same(t, 3, train.Sparse.Rows())
	for want, damage := range map[string]func(s *State){
		`"words" has no vocabulary`: func(s *State) { s.Name = "words" },
		`"tfidf" has no vocabulary`: func(s *State) { s.TFIDF = nil },
		"3 terms for 4 features":    func(s *State) { s.TFIDF.Terms = s.TFIDF.Terms[1:] },
		"in 4 of 3 texts":           func(s *State) { s.TFIDF.Counts[0] = 4 },
		`, after "`:                 func(s *State) { slices.Reverse(s.TFIDF.Terms) },
		"counts of 0 texts":         func(s *State) { s.TFIDF.Texts = 0 },
	} {
		var bad State
		expect.OK(t, json.Unmarshal(data, &bad))
		damage(&bad)
		expect.Says(t, bad.Check(len(s.TFIDF.Terms)), want)
	}
	expect.Says(t, expect.Err(Fit("tfidf", dataset.Split{Texts: []string{"a", "b"}})), "no word occurs in 2 of the 2 texts")
}
