package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/dataset/published"
)

// noticed audits labels that people gave and labels that were made wrong by one T, and says of which it
// notices that T does not describe them.
func (b *bench) noticed(ctx context.Context) error {
	p, err := b.People.read()
	if err != nil {
		return err
	}
	d, err := b.digits()
	if err != nil {
		return err
	}
	digits := people{width: 28 * 28, answers: make([][]string, d.Train.Len())}
	for i, y := range d.Train.Labels {
		digits.truth = append(digits.truth, d.Classes[y])
		for _, v := range d.Train.X[i*digits.width : (i+1)*digits.width] {
			digits.features = append(digits.features, float32(v)/255)
		}
	}
	made, err := b.kindsOfNoise(p, "cifar10")
	if err != nil {
		return err
	}
	of, err := b.kindsOfNoise(digits, "mnist")
	if err != nil {
		return err
	}
	for draw := range b.People.Draws {
		for k, kind := range slices.Concat(given[:3], made, of) {
			data := p
			if k >= 3+len(made) {
				data = digits
			}
			if err := b.noticePeople(ctx, data, kind, draw); err != nil {
				return fmt.Errorf("%s: %w", kind.name, err)
			}
		}
	}
	return nil
}

// kindsOfNoise are the noises of the benchmark of audits, as ways to label an example.
func (b *bench) kindsOfNoise(p people, name string) (kinds []kind, err error) {
	classes := slices.Compact(slices.Sorted(slices.Values(p.truth)))
	symmetric, err := correction.Symmetric(classes, .2)
	if err != nil {
		return nil, err
	}
	asymmetric, err := correction.Asymmetric(classes, .4, published.All.Named(name).Flips)
	if err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name string
		t    *correction.Matrix
	}{{"symmetric 0.2", symmetric}, {"asymmetric 0.4", asymmetric}} {
		kinds = append(kinds, byMatrix(n.name+", "+published.All.Named(name).Title, n.t))
	}
	return kinds, nil
}

// byMatrix is labels that go wrong by a T.
func byMatrix(name string, t *correction.Matrix) kind {
	classes := t.Classes()
	return kind{name, func(truth string, _ []string, rng *rand.Rand) string {
		row, u := t.Row(slices.Index(classes, truth)), rng.Float64()
		for j, v := range row {
			if u -= v; u < 0 {
				return classes[j]
			}
		}
		return truth
	}}
}

// noticedRow is what an audit notices of a draw, and how well it ranks.
type noticedRow struct {
	draw    HumanRow
	uneven  judging.Uneven
	signals signals
}

// noticePeople audits a draw and adds a row.
func (b *bench) noticePeople(ctx context.Context, p people, k kind, draw int) error {
	d, err := b.draw(p, k, b.People.Examples, draw)
	if err != nil {
		return err
	}
	a, err := b.audit(ctx, d.arguments...)
	if err != nil {
		return err
	}
	if b.environment, err = a.environment(); err != nil {
		return err
	}
	r := noticedRow{draw: d.row}
	s := a.summary
	r.draw.Weak, r.draw.Seconds = s.Weak, a.seconds
	if !s.Weak {
		r.draw.Expected, r.draw.Low, r.draw.High = s.ExpectedWrong, s.NoiseRateInterval.Low*float64(s.Examples), s.NoiseRateInterval.High*float64(s.Examples)
	}
	if s.Uneven != nil {
		r.uneven = *s.Uneven
	}
	features, err := readFeatures(d.features)
	if err != nil {
		return err
	}
	if r.signals, err = measureSignals(a, features, d.labels, d.wrong); err != nil {
		return err
	}
	b.say("%s, draw %d: %d of %d wrong, %.0f said (%.0f to %.0f); errors %.3f, seen %.3f, both signs %.1f; average precision %.3f, of one signal %.3f; %.0f s", r.draw.Labels, r.draw.Draw, r.draw.Wrong, r.draw.Examples,
		r.draw.Expected, r.draw.Low, r.draw.High, r.uneven.Supposed, r.uneven.Seen, r.uneven.Z, r.signals.Ranking, r.signals.best(), r.draw.Seconds)
	b.notices = append(b.notices, r)
	return b.saveNotices()
}

// saveNotices writes these rows as CSV, each with where it was measured.
func (b *bench) saveNotices() error {
	if b.Out == "" {
		return nil
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	e := b.environment
	records := [][]string{{"labels", "draw", "examples", "wrong", "weak", "expected", "model_low", "model_high", "supposed", "seen", "surest", "less", "z", "noticed",
		"average_precision", "odds_by_t", "self_confidence", "neighbours", "discriminants",
		"seconds", "seed", "date", "version", "revision", "modified", "cpu", "cores", "libtorch"}}
	for _, r := range b.notices {
		d := r.draw
		records = append(records, []string{d.Labels, strconv.Itoa(d.Draw), strconv.Itoa(d.Examples), strconv.Itoa(d.Wrong), strconv.FormatBool(d.Weak), number(d.Expected), number(d.Low), number(d.High),
			number(r.uneven.Supposed), number(r.uneven.Seen), number(r.uneven.Surest), number(r.uneven.Less), number(r.uneven.Z), strconv.FormatBool(r.uneven.Noticed),
			number(r.signals.Ranking), number(r.signals.Odds), number(r.signals.SelfConfidence), number(r.signals.Neighbours), number(r.signals.Discriminants),
			fmt.Sprintf("%.1f", d.Seconds), strconv.Itoa(seed), time.Now().UTC().Format(time.DateOnly), e.Program, e.Revision,
			strconv.FormatBool(e.Modified), e.CPU.Model, strconv.Itoa(e.CPU.Cores), e.Libtorch["version"]})
	}
	return writeCSV(b.Out, records)
}
