package annotatorsbench

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/tools/measured"
)

// score is how well a consensus agrees with the truth.
type score struct {
	Right          float64 // share of the consensus labels that are right
	WrongAnswers   float64 // average precision of wrong answers
	WrongConsensus float64 // average precision of wrong consensus labels
	Expected       float64 // expected number of wrong consensus labels, as a multiple of the true one
}

// judged are labels with a probability of being wrong.
type judged struct {
	doubt []float64
	wrong []bool
}

func (j *judged) add(doubt float64, wrong bool) {
	j.doubt, j.wrong = append(j.doubt, doubt), append(j.wrong, wrong)
}

// precision returns the average precision of the wrong ones, by doubt; those of equal doubt are
// in random order, always the same one.
func (j *judged) precision() float64 {
	order := rand.New(rand.NewPCG(1, uint64(len(j.doubt)))).Perm(len(j.doubt))
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(j.doubt[y], j.doubt[x]) })
	return measured.AveragePrecision(order, j.wrong)
}

// judge scores consensus labels with a doubt of each, and a doubt of each answer of c.answers.
func (c crowd) judge(label []int, doubt, answerDoubt []float64) score {
	var labels, answers judged
	right, expected, wrong := 0, 0., 0
	for i, truth := range c.truth {
		if label[i] == truth {
			right++
		} else {
			wrong++
		}
		expected += doubt[i]
		labels.add(doubt[i], label[i] != truth)
	}
	for n, x := range c.answers.List {
		answers.add(answerDoubt[n], int(x.Label) != c.truth[x.Task])
	}
	return score{
		Right: float64(right) / float64(right+wrong), WrongAnswers: answers.precision(),
		WrongConsensus: labels.precision(), Expected: expected / float64(wrong),
	}
}

// accuracy returns the share of the likeliest classes of probabilities [N C] that are right.
func (c crowd) accuracy(g []float32) float64 {
	right := 0
	for i, k := range correction.Classes(g, len(c.answers.Classes)) {
		if k == c.truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(c.truth))
}
