package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/tools/measured"
)

// fewRow is what an audit says of a few reviews, at once and after random checks.
type fewRow struct {
	Noise                 string
	Draw, Examples, Wrong int
	Weak, Doubted         bool
	Said, Checked         fewSaid
}

// fewSaid is what one audit says.
type fewSaid struct {
	Expected, Low, High  float64 // wrong labels, and their range
	AveragePrecision, F1 float64
	WrongAfter           int // wrong labels of labels_corrected.csv
}

// fewChecks is the number of random checks.
const fewChecks = 100

// fewDraws is how many sets of 1,000 and of 3,000 reviews are drawn for each noise; of 8,000 it is one.
const fewDraws = 3

// fewKinds are the kinds of labels that few audits.
var fewKinds = []struct {
	name     string
	neg, pos float64 // shares of their labels that go wrong
	words    int     // the first ones of a review are all that is left; 0 for all
}{
	{"none", 0, 0, 0}, {"symmetric 0.2", .2, .2, 0}, {"30 % of neg", .3, 0, 0}, {"45 % of neg", .45, 0, 0}, {"10 % of neg, 30 % of pos", .1, .3, 0},
	{"25 words, none", 0, 0, 25}, {"25 words, symmetric 0.1", .1, .1, 25}, {"25 words, 30 % of neg", .3, 0, 25},
}

// few audits draws of some training reviews by their words, the view of the weakest networks.
func (b *bench) few(ctx context.Context) error {
	reviews, err := b.reviews("train")
	if err != nil {
		return err
	}
	var rows []fewRow
	for _, examples := range []int{1000, 3000, 8000} {
		for _, kind := range fewKinds {
			t, err := correction.NewMatrix(sentiments, [][]float64{{1 - kind.neg, kind.neg}, {kind.pos, 1 - kind.pos}})
			if err != nil {
				return err
			}
			for draw := range fewDraws {
				if examples == 8000 && draw > 0 || kind.words > 0 && examples != 3000 {
					break
				}
				var some []measured.Review
				for _, k := range rand.New(rand.NewPCG(seed, uint64(examples+draw))).Perm(len(reviews))[:examples] {
					r := reviews[k]
					if words := strings.Fields(r.Text); kind.words > 0 {
						r.Text = strings.Join(words[:min(kind.words, len(words))], " ")
					}
					some = append(some, r)
				}
				n, err := b.imdb(some, t)
				if err != nil {
					return err
				}
				row, err := b.fewOf(ctx, n, "--view", "tfidf")
				if err != nil {
					return err
				}
				row.Noise, row.Draw = kind.name, draw+1
				b.say("%+v", row)
				rows = append(rows, row)
				if err := b.saveFew(rows); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fewOf audits texts, checks some labels drawn at random by their truth, and audits again with the answers.
func (b *bench) fewOf(ctx context.Context, n noisy, view ...string) (row fewRow, err error) {
	arguments := append(n.arguments, view...)
	a, err := b.audit(ctx, arguments...)
	if err != nil {
		return row, err
	}
	s := a.summary
	if s.Measured == nil {
		return row, fmt.Errorf("the audit of %d texts has not found the true labels", len(n.given))
	}
	row = fewRow{Examples: s.Examples, Wrong: s.Measured.Wrong, Weak: s.Weak, Doubted: s.Doubted}
	if row.Said, err = n.said(a); err != nil {
		return row, err
	}
	sheet := filepath.Join(b.Work, "checks.csv")
	if err := b.check(ctx, n, sheet); err != nil {
		return row, err
	}
	if a, err = b.auditAgain(ctx, append(arguments, "--checked", sheet)...); err != nil {
		return row, err
	}
	row.Checked, err = n.said(a)
	return row, err
}

// said compares an audit with the truth.
func (n noisy) said(a audited) (out fewSaid, err error) {
	s := a.summary
	out = fewSaid{
		AveragePrecision: s.Measured.AveragePrecision, F1: s.Measured.F1, Expected: s.ExpectedWrong,
		Low: s.NoiseRateInterval.Low * float64(s.Examples), High: s.NoiseRateInterval.High * float64(s.Examples),
	}
	if r := s.Random; r != nil { // also of networks that are too weak to say a number
		out.Expected, out.Low, out.High = r.Wrong, r.Interval.Low, r.Interval.High
	}
	corrected, err := a.folder.Labels()
	if err != nil {
		return out, err
	}
	for k, l := range corrected {
		if l.Label != n.classes[n.truth[k]] {
			out.WrongAfter++
		}
	}
	return out, nil
}

// check draws random checks of the audit and answers them in the sheet with the true labels.
func (b *bench) check(ctx context.Context, n noisy, sheet string) error {
	if err := os.RemoveAll(sheet); err != nil {
		return err
	}
	if _, err := measured.Run(ctx, b.Program, "review", b.folder().Dir(), "--random", strconv.Itoa(fewChecks), "--write", sheet); err != nil {
		return err
	}
	labels, err := b.folder().Labels() // in the order of the data
	if err != nil {
		return err
	}
	truth := map[string]string{}
	for k, l := range labels {
		truth[l.ID] = n.classes[n.truth[k]]
	}
	drawn, err := measured.ReadCSV(sheet, "id", "given")
	if err != nil {
		return err
	}
	answers := [][]string{{"id", "given", "true"}}
	for _, c := range drawn {
		answers = append(answers, []string{c[0], c[1], truth[c[0]]})
	}
	return measured.WritePlain(sheet, answers)
}

// saveFew writes these rows.
func (b *bench) saveFew(rows []fewRow) error {
	var records [][]string
	for _, r := range rows {
		cells := []any{r.Noise, r.Draw, r.Examples, r.Wrong, r.Weak, r.Doubted}
		for _, s := range []fewSaid{r.Said, r.Checked} {
			cells = append(cells, s.Expected, s.Low, s.High, s.AveragePrecision, s.F1, s.WrongAfter)
		}
		records = append(records, measured.Record(cells...))
	}
	header := []string{"noise", "draw", "examples", "wrong", "weak", "doubted"}
	for _, when := range []string{"", "checked_"} {
		for _, column := range []string{"expected", "low", "high", "average_precision", "f1", "wrong_after"} {
			header = append(header, when+column)
		}
	}
	return b.save(header, records)
}
