package views

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// Weights as scikit-learn 1.9.1 computes them: TfidfVectorizer(ngram_range=(1, 2), min_df=2,
// sublinear_tf=True) of these texts.
func TestTFIDF(t *testing.T) {
	texts := []string{"The film is good. GOOD film, good!", "the film is bad", "bad: very bad; the worst", "good"}
	v := expect.Got(NewTFIDF(texts))(t)
	if want := []string{"bad", "film", "film is", "good", "is", "the", "the film"}; !slices.Equal(v.Terms, want) ||
		!slices.Equal(v.Counts, []int32{2, 2, 2, 2, 2, 3, 2}) {
		t.Fatalf("terms %q in %v texts, want %q", v.Terms, v.Counts, want)
	}
	got := expect.Got(v.Features(append(texts, "unseen words", "film the")))(t)
	want := [][]float64{
		{0, .5122207, .3025258, .6348844, .3025258, .2449207, .3025258},
		{.4205012, .4205012, .4205012, 0, .4205012, .3404319, .4205012},
		{.9021715, 0, 0, 0, 0, .4313775, 0},
		{0, 0, 0, 1, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, 0},
		{0, .7772212, 0, 0, 0, .6292275, 0},
	}
	if got.Rows() != len(want) {
		t.Fatalf("%d rows, want %d", got.Rows(), len(want))
	}
	for i, row := range want {
		all := make([]float64, len(v.Terms))
		for e := got.Starts[i]; e < got.Starts[i+1]; e++ {
			all[got.Columns[e]] = float64(got.Values[e])
		}
		for k := range row {
			if math.Abs(all[k]-row[k]) > 1e-6 {
				t.Errorf("text %d: %v, want %v", i, all, row)
				break
			}
		}
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
	if train.Texts != nil || !slices.Equal(train.Shape, []int{len(s.TFIDF.Terms)}) ||
		!slices.Equal(train.Sparse.Values, other.Sparse.Values) || len(train.Sparse.Values) == 0 {
		t.Errorf("%+v and, after reading, %+v", train, other)
	}
	for name, damage := range map[string]func(s *State){
		"another name": func(s *State) { s.Name = "words" }, "no vocabulary": func(s *State) { s.TFIDF = nil },
		"a term less": func(s *State) {
			s.TFIDF.Terms = s.TFIDF.Terms[1:]
		}, "a count too high": func(s *State) { s.TFIDF.Counts[0] = 4 },
		"out of order": func(s *State) { slices.Reverse(s.TFIDF.Terms) }, "no texts": func(s *State) { s.TFIDF.Texts = 0 },
	} {
		var bad State
		expect.OK(t, json.Unmarshal(data, &bad))
		damage(&bad)
		if err := bad.Check(len(s.TFIDF.Terms)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := Fit("tfidf", dataset.Split{Texts: []string{"a", "b"}}); err == nil {
		t.Error("texts without a common word have a vocabulary")
	}
}
