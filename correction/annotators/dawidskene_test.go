package annotators_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

func readNumbers(t *testing.T, path string) (all [][]float64) {
	t.Helper()
	text := expect.Got(os.ReadFile(path))(t)
	for line := range strings.Lines(string(text)) {
		var row []float64
		for _, cell := range strings.Split(strings.TrimSpace(line), ",") {
			v := expect.Got(strconv.ParseFloat(cell, 64))(t)
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all
}

// crowd-kit 1.4.2, testdata/dawid_skene.py. crowd-kit stops by a different bound of the likelihood, a turn or two
// earlier or later.
func TestDawidSkeneEqualsCrowdKit(t *testing.T) {
	var list []annotators.Answer
	for _, row := range readNumbers(t, "testdata/answers.csv") {
		list = append(list, annotators.Answer{Task: int32(row[0]), Worker: int32(row[1]), Label: int32(row[2])})
	}
	want := readNumbers(t, "testdata/dawid_skene.csv")
	a := newAnswers(t, len(want), []string{"a", "b", "c", "d", "e", "f", "g"}, []string{"x", "y", "z"}, list)
	got := estimate(t, a, annotators.Options{Method: "dawid-skene"})
	mean := 0.
	for i, row := range want {
		for k, v := range row {
			mean += math.Abs(v-got.Of(i)[k]) / float64(len(want)*3)
		}
	}
	if mean > .002 {
		t.Errorf("probabilities differ by %.4f in the mean", mean)
	}
}
