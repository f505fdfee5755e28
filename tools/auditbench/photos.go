package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// photos audits images in folders of classes, whose labels are made wrong: with the default
// network for images and, where there is a backbone, with its features. Classes of the
// names of CIFAR-10 have the paper's flips.
func (b *bench) photos(ctx context.Context) error {
	d, err := own.Open(ctx, own.Source{Path: b.Photos}, dataset.Options{Offline: true})
	if err != nil {
		return err
	}
	flips := flipsOf("cifar10")
	for _, c := range []struct {
		name string
		make func() (*correction.Matrix, error)
	}{
		{"symmetric 0.2", func() (*correction.Matrix, error) { return correction.Symmetric(d.Classes, .2) }},
		{"asymmetric 0.4", func() (*correction.Matrix, error) { return correction.Asymmetric(d.Classes, .4, flips) }},
	} {
		t, err := c.make()
		if err != nil {
			return err
		}
		n, err := b.wrongPhotos(d, t)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%d photos", d.Train.Len())
		if err := b.compare(ctx, Row{Data: name + ", cnn", Noise: c.name}, n); err != nil {
			return err
		}
		if b.Backbone == "" {
			continue
		}
		n.arguments = append(n.arguments, "--backbone", b.Backbone)
		if err := b.compare(ctx, Row{Data: name + ", features of " + filepath.Base(b.Backbone), Noise: c.name}, n); err != nil {
			return err
		}
	}
	return nil
}

// wrongPhotos makes wrong labels for the photos.
func (b *bench) wrongPhotos(d *dataset.Dataset, t *correction.Matrix) (noisy, error) {
	given, err := t.Corrupt(d.Train.Labels, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return noisy{}, err
	}
	file := filepath.Join(b.Work, "photos.csv")
	records := [][]string{{"file_name", "label", "truth"}}
	for i, y := range given {
		records = append(records, []string{d.Train.ID(i), d.Classes[y], d.Classes[d.Train.Labels[i]]})
	}
	return noisy{
		arguments: []string{b.Photos, "--labels", file, "--truth", "truth"},
		given:     given, truth: d.Train.Labels,
	}, writeCSV(file, records)
}
