package auditbench

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// orders is the number of random orders of the rows in which mistakes of people are judged.
const orders = 10

// judgement is a ranking from posteriors of the noisy labels alone, as an audit of
// --probabilities makes it.
type judgement struct {
	order []int     // worst first
	wrong []float64 // p_wrong
}

// judge ranks labels by posteriors [N C] without a second stage.
func judge(noisy []float32, given []int, c int) (judgement, error) {
	logits := make([]float32, len(noisy))
	for k, p := range noisy {
		logits[k] = float32(math.Log(max(float64(p), math.SmallestNonzeroFloat32)))
	}
	e, err := estimators.Estimate(numbers(c), logits, given, estimators.Options{Name: "vertices", Prior: 1, Alone: true})
	if err != nil {
		return judgement{}, err
	}
	g, err := judging.CalibrateClean(logits, given, e.T)
	if err != nil {
		return judgement{}, err
	}
	a, err := judging.Audit(g, given, e.T)
	if err != nil {
		return judgement{}, err
	}
	a.BreakTies(noisy)
	return judgement{a.Order(), a.Wrong}, nil
}

// numbers names c classes.
func numbers(c int) []string {
	names := make([]string, c)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	return names
}

// score returns the average precision of the ranking, and F1 of p_wrong above 1/2, among the
// judged examples; wrong holds these.
func (j judgement) score(wrong map[int]bool) (precision, f1 float64) {
	var judged []int
	bad, p := make([]bool, len(j.wrong)), make([]float64, len(j.wrong))
	for _, i := range j.order {
		if isWrong, ok := wrong[i]; ok {
			judged = append(judged, i)
			bad[i], p[i] = isWrong, j.wrong[i]
		}
	}
	return measured.AveragePrecision(judged, bad), f1Above(p, bad, .5)
}

// firstStage scores what posteriors of a file say without a second stage: the mean and the
// standard deviation over random orders of the rows, since the order of the data should not
// matter.
func firstStage(file string, given []int, wrong map[int]bool) (precision, f1 []float64, err error) {
	noisy, shape, err := npy.ReadFloat32(file)
	if err != nil {
		return nil, nil, err
	}
	n, c := len(given), shape[1]
	for k := range orders {
		perm := rand.New(rand.NewPCG(seed, uint64(k))).Perm(n)
		p, labels, judged := make([]float32, 0, len(noisy)), make([]int, n), map[int]bool{}
		for to, from := range perm {
			p = append(p, noisy[from*c:(from+1)*c]...)
			labels[to] = given[from]
			if bad, ok := wrong[from]; ok {
				judged[to] = bad
			}
		}
		j, err := judge(p, labels, c)
		if err != nil {
			return nil, nil, err
		}
		ap, f := j.score(judged)
		precision, f1 = append(precision, ap), append(f1, f)
	}
	return precision, f1, nil
}
