package auditbench

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// People are labels that people gave, with the true ones and features of the examples.
type People struct {
	Features string // NPY [N D]
	Names    string // text: the name of each row of Features
	Labels   string // CSV: file_name, truth and three columns of labels, such as those of CIFAR-10N
	Examples int    // of a draw
	Draws    int

	Treatments []string // of the part train, those that are measured; none: all
}

// people is what the files of People hold, in the order of the features.
type people struct {
	features []float32
	width    int
	truth    []string
	answers  [][]string
}

// digits are images of MNIST as numbers from 0 to 255/scale.
func digits(classes []string, scale float32, splits ...dataset.Split) people {
	out := people{width: 28 * 28}
	for _, s := range splits {
		for i, y := range s.Labels {
			out.truth = append(out.truth, classes[y])
			for _, v := range s.Example(i) {
				out.features = append(out.features, float32(v)/scale)
			}
		}
	}
	out.answers = make([][]string, len(out.truth))
	return out
}

func (p People) read() (people, error) {
	var out people
	features, shape, err := npy.ReadFloat32(p.Features)
	if err != nil {
		return out, err
	}
	if len(shape) != 2 {
		return out, fmt.Errorf("%s: shape %v, want [N D]", p.Features, shape)
	}
	out.features, out.width = features, shape[1]
	file, err := os.Open(p.Labels)
	if err != nil {
		return out, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return out, fmt.Errorf("%s: %w", p.Labels, err)
	}
	of := map[string][]string{}
	for _, r := range records[1:] {
		of[r[0]] = r[1:]
	}
	names, err := os.Open(p.Names)
	if err != nil {
		return out, err
	}
	defer names.Close()
	for lines := bufio.NewScanner(names); lines.Scan(); {
		r := of[lines.Text()]
		if r == nil {
			return out, fmt.Errorf("%s has no labels of %q", p.Labels, lines.Text())
		}
		out.truth, out.answers = append(out.truth, r[0]), append(out.answers, r[1:])
	}
	if n := len(out.truth); n*out.width != len(out.features) {
		return out, fmt.Errorf("%s has %d names, %s has %v", p.Names, n, p.Features, shape)
	}
	return out, nil
}

// kind is a way to label an example.
type kind struct {
	name  string
	label func(truth string, answers []string, rng *rand.Rand) string
}

// given are the ways to make one label of the answers of several people.
var given = []kind{
	{"aggregated", majority},
	{"one annotator", func(_ string, answers []string, _ *rand.Rand) string { return answers[0] }},
	{"worst of three", worst},
	{"none", func(truth string, _ []string, _ *rand.Rand) string { return truth }},
}

// majority is the most frequent answer, one of them at random where several are.
func majority(_ string, answers []string, rng *rand.Rand) string {
	count := map[string]int{}
	most := 0
	for _, a := range answers {
		count[a]++
		most = max(most, count[a])
	}
	var best []string
	for _, a := range answers {
		if count[a] == most {
			best = append(best, a)
		}
	}
	return best[rng.IntN(len(best))]
}

// worst is a wrong answer at random, or the true label if there is none.
func worst(truth string, answers []string, rng *rand.Rand) string {
	wrong := slices.DeleteFunc(slices.Clone(answers), func(a string) bool { return a == truth })
	if len(wrong) == 0 {
		return truth
	}
	return wrong[rng.IntN(len(wrong))]
}

// human audits the labels of people, draw by draw, so that a measurement that is stopped has whole
// draws.
func (b *bench) human(ctx context.Context) error {
	p, err := b.People.read()
	if err != nil {
		return err
	}
	for draw := range b.People.Draws {
		for _, g := range given[:3] {
			if err := b.auditPeople(ctx, p, g, b.People.Examples, draw); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
		}
	}
	return nil
}

// clean audits true labels, of which none is wrong.
func (b *bench) clean(ctx context.Context) error {
	p, err := b.People.read()
	if err != nil {
		return err
	}
	for _, n := range []int{500, 3000, 10000} {
		for draw := range b.People.Draws {
			if err := b.auditPeople(ctx, p, given[3], n, draw); err != nil {
				return err
			}
		}
	}
	d, err := b.digits()
	if err != nil {
		return err
	}
	images := digits(d.Classes, 1, d.Train)
	for _, n := range []int{500, 3000, 10000} {
		for draw := range b.People.Draws {
			if err := b.auditPeople(ctx, images, kind{"none (MNIST)", given[3].label}, n, draw); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawn is data of which an audit is made.
type drawn struct {
	row       humanRow
	features  string   // file
	arguments []string // of losscorr audit
	labels    []int
	wrong     []bool
}

// draw writes examples that are drawn at random, and their labels.
func (b *bench) draw(p people, k kind, n, draw int) (drawn, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(draw)))
	picked := rng.Perm(len(p.truth))[:min(n, len(p.truth))]
	slices.Sort(picked)
	classes := slices.Compact(slices.Sorted(slices.Values(p.truth)))
	d := drawn{row: humanRow{Labels: k.name, Draw: draw + 1, Examples: len(picked)}, features: filepath.Join(b.Work, "people.npy")}
	features := make([]float32, 0, len(picked)*p.width)
	records := [][]string{{"label", "truth"}}
	for _, x := range picked {
		features = append(features, p.features[x*p.width:(x+1)*p.width]...)
		y := k.label(p.truth[x], p.answers[x], rng)
		records = append(records, []string{y, p.truth[x]})
		d.labels, d.wrong = append(d.labels, slices.Index(classes, y)), append(d.wrong, y != p.truth[x])
		if y != p.truth[x] {
			d.row.Wrong++
		}
	}
	labels := filepath.Join(b.Work, "people.csv")
	d.arguments = []string{d.features, "--labels", labels, "--label", "label", "--truth", "truth", "--jobs", "1"}
	return d, errors.Join(npy.WriteFloat32(d.features, features, p.width), measured.WritePlain(labels, records))
}

// auditDraw audits examples that are drawn at random, and fills in what the audit says of their number.
func (b *bench) auditDraw(ctx context.Context, p people, k kind, n, draw int) (d drawn, a audited, err error) {
	if d, err = b.draw(p, k, n, draw); err != nil {
		return d, a, err
	}
	if a, err = b.audit(ctx, d.arguments...); err != nil {
		return d, a, err
	}
	s := a.summary
	d.row.Weak, d.row.Seconds = s.Weak, a.seconds
	if !s.Weak {
		examples := float64(s.Examples)
		d.row.Expected, d.row.Low, d.row.High = s.ExpectedWrong, s.NoiseRateInterval.Low*examples, s.NoiseRateInterval.High*examples
	}
	return d, a, nil
}

// auditPeople audits examples that are drawn at random and adds a row.
func (b *bench) auditPeople(ctx context.Context, p people, k kind, n, draw int) error {
	d, a, err := b.auditDraw(ctx, p, k, n, draw)
	if err != nil {
		return err
	}
	r := d.row
	if err := b.judgePeople(ctx, &r, a, d); err != nil {
		return err
	}
	b.say("%s, draw %d: %d of %d wrong, %.0f said, average precision %.4f (cleanlab %.4f), F1 %.3f (%.3f), with checks %.3f; coverage %.2f; %.0f s",
		r.Labels, r.Draw, r.Wrong, r.Examples, r.Expected, r.AveragePrecision, r.Cleanlab, r.F1, r.CleanlabF1, r.Checks[1].F1, r.Checks[1].Coverage, r.Seconds)
	b.humans = append(b.humans, r)
	return b.saveHumans()
}

// judgePeople fills a row in from an audit.
func (b *bench) judgePeople(ctx context.Context, r *humanRow, a audited, d drawn) error {
	judged := map[int]bool{}
	q := request{Posteriors: a.folder.Path(audit.NoisyFile), Given: d.labels, Near: d.features}
	for i, w := range d.wrong {
		judged[i] = w
		q.Judged, q.Wrong = append(q.Judged, i), append(q.Wrong, w)
	}
	if err := r.measureChecks(a.folder, d.wrong); err != nil {
		return err
	}
	if r.Wrong == 0 {
		return nil
	}
	if m := a.summary.Measured; m != nil {
		r.AveragePrecision, r.F1 = m.AveragePrecision, m.F1
	}
	precision, _, err := firstStage(q.Posteriors, d.labels, judged)
	if err != nil {
		return err
	}
	r.FirstStage = stat.Mean(precision, nil)
	if b.Python == "" {
		return nil
	}
	answer, err := ask(ctx, b.Python, q)
	if err != nil {
		return err
	}
	r.CleanlabScore, r.Cleanlab = answer.best()
	r.CleanlabF1, r.Neighbours = answer.F1, answer.Neighbours
	return nil
}

// saveHumans writes the rows of people's labels.
func (b *bench) saveHumans() error {
	header := []string{"labels", "draw", "examples", "wrong", "weak", "expected", "model_low", "model_high", "average_precision", "first_stage_average_precision",
		"cleanlab_average_precision", "cleanlab_score", "neighbours_average_precision", "f1", "cleanlab_f1", "calibration_error"}
	for _, n := range checkCounts {
		for _, column := range []string{"coverage", "half_width", "calibration_error", "f1", "best_f1"} {
			header = append(header, fmt.Sprintf("checks_%d_%s", n, column))
		}
	}
	var records [][]string
	for _, r := range b.humans {
		record := measured.Record(r.Labels, r.Draw, r.Examples, r.Wrong, r.Weak, r.Expected, r.Low, r.High,
			r.AveragePrecision, r.FirstStage, r.Cleanlab, r.CleanlabScore, r.Neighbours, r.F1, r.CleanlabF1, r.Calibration)
		for _, c := range r.Checks {
			record = append(record, measured.Record(c.Coverage, c.Half, c.Calibration, c.F1, c.BestF1)...)
		}
		records = append(records, append(record, measured.Seconds(r.Seconds), b.python.Version))
	}
	return b.save(append(header, "seconds", "cleanlab"), records)
}
