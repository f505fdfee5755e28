package auditbench

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
)

// photos audits images in folders of classes, whose labels are made wrong: by a network
// of their own, by the default encoder and, where there is a backbone, by its features. Classes of the
// names of CIFAR-10 have the paper's flips.
func (b *bench) photos(ctx context.Context) error {
	d, err := b.openPhotos(ctx)
	if err != nil {
		return err
	}
	flips := published.All.Named("cifar10").Flips
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
		for _, look := range b.looks() {
			m := n
			m.arguments = slices.Concat(n.arguments, look.flags)
			if err := b.compare(ctx, comparison{Data: name + ", " + look.name, Noise: c.name}, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) openPhotos(ctx context.Context) (*dataset.Dataset, error) {
	return own.Open(ctx, own.Source{Path: b.Photos}, dataset.Options{Offline: true})
}

// look is a way of looking at photos, with the flags that ask for it.
type look struct {
	name  string
	flags []string
}

// looks are those that are measured: Options.Views or, where these are not given, a network of the photos'
// own and the default encoder, and the backbone where there is one.
func (b *bench) looks() (all []look) {
	names := map[string]string{"own": "cnn", "efficientnet-lite2": "features of efficientnet-lite2"}
	for view := range strings.SplitSeq(cmp.Or(b.Views, "own,efficientnet-lite2"), ",") {
		all = append(all, look{cmp.Or(names[view], view), []string{"--view", view}})
	}
	if b.Backbone != "" {
		all = append(all, look{"features of " + filepath.Base(b.Backbone), []string{"--backbone", b.Backbone}})
	}
	return all
}

// wrongPhotos makes wrong labels for the photos.
func (b *bench) wrongPhotos(d *dataset.Dataset, t *correction.Matrix) (noisy, error) {
	n, file, err := b.corrupt(t, d.Train.Labels, "photos.csv", []string{"file_name"}, func(i int) []string { return []string{d.Train.ID(i)} })
	n.arguments = []string{b.Photos, "--labels", file, "--truth", "truth"}
	return n, err
}
