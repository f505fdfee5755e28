package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
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
	images := digits(d.Classes, 255, d.Train)
	made, err := b.kindsOfNoise(p, "cifar10")
	if err != nil {
		return err
	}
	of, err := b.kindsOfNoise(images, "mnist")
	if err != nil {
		return err
	}
	for draw := range b.People.Draws {
		for k, kind := range slices.Concat(given[:3], made, of) {
			data := p
			if k >= 3+len(made) {
				data = images
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
	draw    humanRow
	uneven  judging.Uneven
	signals signals
}

// noticePeople audits a draw and adds a row.
func (b *bench) noticePeople(ctx context.Context, p people, k kind, draw int) error {
	d, a, err := b.auditDraw(ctx, p, k, b.People.Examples, draw)
	if err != nil {
		return err
	}
	r := noticedRow{draw: d.row}
	if u := a.summary.Uneven; u != nil {
		r.uneven = *u
	}
	features, _, err := npy.ReadFloat32(d.features)
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

// saveNotices writes these rows.
func (b *bench) saveNotices() error {
	header := []string{"labels", "draw", "examples", "wrong", "weak", "expected", "model_low", "model_high", "supposed", "seen", "surest", "less", "z", "noticed",
		"average_precision", "odds_by_t", "self_confidence", "neighbours", "discriminants", "seconds"}
	var records [][]string
	for _, r := range b.notices {
		d, u, s := r.draw, r.uneven, r.signals
		records = append(records, measured.Record(d.Labels, d.Draw, d.Examples, d.Wrong, d.Weak, d.Expected, d.Low, d.High, u.Supposed, u.Seen, u.Surest, u.Less, u.Z, u.Noticed,
			s.Ranking, s.Odds, s.SelfConfidence, s.Neighbours, s.Discriminants, measured.Seconds(d.Seconds)))
	}
	return b.save(header, records)
}
