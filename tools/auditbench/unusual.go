package auditbench

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/tools/measured"
	"github.com/losscorr/losscorr/torch"
)

const (
	strangers   = 80 // pictures of a kind that are planted
	leftOut     = 2  // classes that the data has not, the last ones of the photos
	nearestMean = 30 // neighbours of the score that an audit is compared with
)

// strange is a kind of pictures that are no class of the data. draw makes one of the size of the photos.
type strange struct {
	name string
	draw func(b *strangeDraws, size image.Rectangle) (image.Image, error)
}

// strangeDraws is what pictures are drawn from.
type strangeDraws struct {
	rng    *rand.Rand
	digits *dataset.Dataset
	photos []string // files of the classes that are there
	others []string // files of those that are left out
}

var strangeKinds = []strange{
	{"digits of MNIST", func(d *strangeDraws, size image.Rectangle) (image.Image, error) {
		m := &image.Gray{Pix: d.digits.Train.Example(d.rng.IntN(d.digits.Train.Len())), Stride: 28, Rect: image.Rect(0, 0, 28, 28)}
		return scaled(m, m.Rect, size), nil
	}},
	{"noise", func(d *strangeDraws, size image.Rectangle) (image.Image, error) {
		m := image.NewRGBA(size)
		for k := range m.Pix {
			m.Pix[k] = byte(d.rng.IntN(256))
		}
		return m, nil
	}},
	{"one colour", func(d *strangeDraws, size image.Rectangle) (image.Image, error) {
		m := image.NewRGBA(size)
		c := color.RGBA{byte(d.rng.IntN(256)), byte(d.rng.IntN(256)), byte(d.rng.IntN(256)), 255}
		for y := range size.Dy() {
			for x := range size.Dx() {
				m.SetRGBA(x, y, c)
			}
		}
		return m, nil
	}},
	{"photos whose lower half is grey", func(d *strangeDraws, size image.Rectangle) (image.Image, error) {
		photo, err := decoded(d.photos[d.rng.IntN(len(d.photos))])
		if err != nil {
			return nil, err
		}
		m := scaled(photo, photo.Bounds(), size)
		for y := size.Dy() / 2; y < size.Dy(); y++ {
			for x := range size.Dx() {
				m.Set(x, y, color.Gray{picture.MidGrey})
			}
		}
		return m, nil
	}},
	{"photos of two other classes", func(d *strangeDraws, _ image.Rectangle) (image.Image, error) {
		return decoded(d.others[d.rng.IntN(len(d.others))])
	}},
}

// decoded reads an image.
func decoded(path string) (image.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return picture.Decode(data)
}

// unusual plants pictures that are no class of the data among photos, a fifth of whose labels are wrong, and
// measures how well the column unusual ranks them.
func (b *bench) unusual(ctx context.Context) error {
	d, err := b.openPhotos(ctx)
	if err != nil {
		return err
	}
	digits, err := b.digits()
	if err != nil {
		return err
	}
	if len(d.Classes) < leftOut+2 {
		return fmt.Errorf("%s has %d classes, want %d or more", b.Photos, len(d.Classes), leftOut+2)
	}
	classes := d.Classes[:len(d.Classes)-leftOut]
	t, err := correction.Symmetric(classes, .2)
	if err != nil {
		return err
	}
	var records [][]string
	for _, kind := range strangeKinds {
		from := &strangeDraws{rng: rand.New(rand.NewPCG(seed, 0)), digits: digits}
		root := filepath.Join(b.Work, "unusual")
		labels, err := b.plantStrange(d, t, kind, from, root)
		if err != nil {
			return err
		}
		record, err := b.rankStrange(ctx, root, labels, len(from.photos))
		if err != nil {
			return err
		}
		records = append(records, append([]string{strconv.Itoa(len(from.photos)), kind.name}, record...))
		header := []string{"photos", "kind", "planted", "average_precision", "precision", "neighbours_average_precision", "neighbours_precision", "above_half", "above_half_planted"}
		if err := b.save(header, records); err != nil {
			return err
		}
	}
	return nil
}

// plantStrange makes a folder of the photos of some classes and pictures of a kind, and a table of labels.
func (b *bench) plantStrange(d *dataset.Dataset, t *correction.Matrix, kind strange, from *strangeDraws, root string) (labels string, err error) {
	if err := os.RemoveAll(root); err != nil {
		return "", err
	}
	var truth []int
	var names []string
	for k, y := range d.Train.Labels {
		path := filepath.Join(b.Photos, filepath.FromSlash(d.Train.IDs[k]))
		if y >= t.Dim() {
			from.others = append(from.others, path)
			continue
		}
		from.photos, truth, names = append(from.photos, path), append(truth, y), append(names, d.Train.IDs[k])
		if err := copyFile(path, filepath.Join(root, filepath.FromSlash(d.Train.IDs[k]))); err != nil {
			return "", err
		}
	}
	given, err := t.Corrupt(truth, from.rng)
	if err != nil {
		return "", err
	}
	first, err := decoded(from.photos[0])
	if err != nil {
		return "", err
	}
	for k := range strangers {
		m, err := kind.draw(from, image.Rect(0, 0, first.Bounds().Dx(), first.Bounds().Dy()))
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("strange-%03d.jpg", k)
		if err := writeJPEG(filepath.Join(root, name), m, usual); err != nil {
			return "", err
		}
		names, given = append(names, name), append(given, from.rng.IntN(t.Dim()))
	}
	records := [][]string{{"file_name", "label"}}
	for k, name := range names {
		records = append(records, []string{name, d.Classes[given[k]]})
	}
	labels = filepath.Join(b.Work, "unusual.csv")
	return labels, measured.WritePlain(labels, records)
}

// rankStrange audits photos with planted pictures, and returns how well these are ranked by the column unusual
// and by the distances to the nearest neighbours among the same features.
func (b *bench) rankStrange(ctx context.Context, root, labels string, photos int) ([]string, error) {
	view := cmp.Or(b.Views, "efficientnet-lite2")
	a, err := b.audit(ctx, root, "--labels", labels, "--view", view)
	if err != nil {
		return nil, err
	}
	issues, err := a.folder.Issues()
	if err != nil {
		return nil, err
	}
	features, err := run.Features(ctx, config.Config{Dataset: "own", Device: "cpu", Source: own.Source{Path: root, Labels: labels, View: view}}, dataset.Options{Offline: true})
	if err != nil || features == nil || len(issues) != photos+strangers {
		return nil, fmt.Errorf("%d examples, want %d with features of %s: %w", len(issues), photos+strangers, view, err)
	}
	scores, planted := make([]float64, len(issues)), make([]bool, len(issues))
	above, right := 0, 0
	for _, i := range issues {
		if i.Unusual == nil {
			return nil, fmt.Errorf("the audit does not say how unusual %s is", i.ID)
		}
		scores[i.Row], planted[i.Row] = *i.Unusual, filepath.Dir(i.ID) == "."
		if *i.Unusual > audit.VeryUnusual {
			if above++; planted[i.Row] {
				right++
			}
		}
	}
	record := []string{strconv.Itoa(strangers)}
	for _, s := range [][]float64{scores, nearDistances(features[0], len(issues))} {
		average, first := precisions(s, planted)
		record = append(record, measured.Record(average, first)...)
	}
	b.say("%s: average precision %s, of the nearest neighbours %s; %d above %v, of them %d planted", record[0], record[1], record[3], above, audit.VeryUnusual, right)
	return append(record, strconv.Itoa(above), strconv.Itoa(right)), nil
}

// nearDistances returns the mean cosine distance of each of n examples to its nearest neighbours.
func nearDistances(features []float32, n int) []float64 {
	const rows = 256 // of the similarities that are in memory
	var out []float64
	torch.Scope(func() {
		x := torch.FromSlice(features, n, len(features)/n)
		x = x.Div(x.Mul(x).SumKeep(1).Sqrt().ClampMin(1e-12))
		for start := 0; start < n; start += rows {
			torch.Scope(func() {
				cosines, _ := x.Narrow(0, start, min(rows, n-start)).Mm(x.T()).TopK(nearestMean+1, 1)
				for list := range slices.Chunk(torch.Slice[float32](cosines), nearestMean+1) {
					sum := 0.
					for _, v := range list[1:] { // the first is the example
						sum += 1 - float64(v)
					}
					out = append(out, sum/nearestMean)
				}
			})
		}
	})
	return out
}

// precisions returns the average precision of a ranking by scores, the largest first, and the precision of as many as
// are planted. Of equal scores the order is random.
func precisions(scores []float64, planted []bool) (average, first float64) {
	order := rand.New(rand.NewPCG(seed, 1)).Perm(len(scores))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	all := 0.
	for _, is := range planted {
		if is {
			all++
		}
	}
	for _, x := range order[:int(all)] {
		if planted[x] {
			first += 1 / all
		}
	}
	return measured.AveragePrecision(order, planted), first
}
