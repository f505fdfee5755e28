package auditbench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/tools/measured"
)

// alteration makes another picture of a photo.
type alteration struct {
	name    string
	quality int // of the JPEG
	of      func(image.Image) image.Image
}

// usual is the quality of copies that are not about it, that of the photos.
const usual = 75

var alterations = []alteration{
	{"mirrored", usual, mirrored},
	{"a third brighter", usual, brighter},
	{"cropped by 1 pixel", usual, func(m image.Image) image.Image { return cropped(m, 1) }},
	{"cropped by 2 pixels", usual, func(m image.Image) image.Image { return cropped(m, 2) }},
	{"cropped by 4 pixels", usual, func(m image.Image) image.Image { return cropped(m, 4) }},
	{"mirrored and cropped by 2 pixels", usual, func(m image.Image) image.Image { return cropped(mirrored(m), 2) }},
	{"shrunk to three quarters and enlarged", usual, func(m image.Image) image.Image {
		b := m.Bounds()
		small := image.Rect(0, 0, b.Dx()*3/4, b.Dy()*3/4)
		return scaled(scaled(m, b, small), small, b)
	}},
	{"JPEG of quality 35", 35, func(m image.Image) image.Image { return m }},
}

func mirrored(m image.Image) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.Set(b.Min.X+b.Max.X-1-x, y, m.At(x, y))
		}
	}
	return out
}

func brighter(m image.Image) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(b)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			up := func(v uint32) uint8 { return uint8(min(4*v/3, 0xffff) >> 8) }
			out.SetRGBA(x, y, color.RGBA{up(r), up(g), up(b), 255})
		}
	}
	return out
}

// cropped leaves out so many pixels at each side, and enlarges the rest to the old size.
func cropped(m image.Image, by int) image.Image {
	return scaled(m, m.Bounds().Inset(by), m.Bounds())
}

func scaled(m image.Image, from, to image.Rectangle) *image.RGBA {
	out := image.NewRGBA(to)
	draw.CatmullRom.Scale(out, to, m, from, draw.Src, nil)
	return out
}

// copied is how many copies of each kind are planted, with the photo's label in the test set and with another
// label in the training set in turn.
const copied = 150

// planted is a copy.
type planted struct{ id, of, kind string }

// copies plants altered copies among photos and counts those that an audit finds.
func (b *bench) copies(ctx context.Context) error {
	d, err := b.openPhotos(ctx)
	if err != nil {
		return err
	}
	root := filepath.Join(b.Work, "copies")
	for k, id := range d.Train.IDs {
		if err := copyFile(filepath.Join(b.Photos, filepath.FromSlash(id)), filepath.Join(root, "train", d.Classes[d.Train.Labels[k]], filepath.Base(id))); err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	order := rng.Perm(d.Train.Len())
	var all []planted
	for _, kind := range alterations {
		for k := range copied {
			at := order[len(all)]
			class := d.Classes[d.Train.Labels[at]]
			p := planted{of: "train/" + class + "/" + filepath.Base(d.Train.IDs[at]), kind: kind.name}
			if p.id = fmt.Sprintf("test/%s/copy-%04d.jpg", class, len(all)); k%2 == 1 {
				p.id = fmt.Sprintf("train/%s/copy-%04d.jpg", d.Classes[(d.Train.Labels[at]+1)%len(d.Classes)], len(all))
			}
			if err := kind.write(filepath.Join(root, filepath.FromSlash(p.of)), filepath.Join(root, filepath.FromSlash(p.id))); err != nil {
				return err
			}
			all = append(all, p)
		}
	}
	known, err := b.checked(ctx, root)
	if err != nil {
		return err
	}
	a, err := b.audit(ctx, root, "--view", cmp.Or(b.Views, "efficientnet-lite2"))
	if err != nil {
		return err
	}
	pairs, err := a.folder.Duplicates()
	if err != nil {
		return err
	}
	found := map[[2]string]bool{}
	for _, p := range pairs {
		found[between(p.A.ID, p.B.ID)] = true
	}
	return b.saveCopies(all, known, found, d.Train.Len())
}

// copyFile copies a file, and makes the folder of the copy.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, data, 0o666))
}

// write writes an altered copy.
func (a alteration) write(from, to string) error {
	m, err := decoded(from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return writeJPEG(to, a.of(m), a.quality)
}

// writeJPEG writes a picture, and makes its folder.
func writeJPEG(path string, m image.Image, quality int) error {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: quality}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o666)
}

// checked returns the pairs that losscorr check finds by pixels.
func (b *bench) checked(ctx context.Context, root string) (map[[2]string]bool, error) {
	out, err := exec.CommandContext(ctx, b.Program, "check", root, "--json", "--quiet").Output()
	if err != nil {
		return nil, fmt.Errorf("losscorr check: %w", err)
	}
	var report check.Report
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, err
	}
	found := map[[2]string]bool{}
	for _, group := range report.Duplicates {
		for _, e := range group.Examples[1:] {
			found[between(group.Examples[0].ID, e.ID)] = true
		}
	}
	return found, nil
}

func between(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// saveCopies prints and writes how many copies of each kind are found, by pixels alone and by all, and how many
// pairs are found beside, of photos as they were and of copies and other photos.
func (b *bench) saveCopies(all []planted, known, found map[[2]string]bool, photos int) error {
	var records [][]string
	add := func(kind string, copies, pixels, found int) {
		b.say("%s: %d copies, %d found by pixels, %d in all", kind, copies, pixels, found)
		records = append(records, measured.Record(photos, kind, copies, pixels, found))
	}
	pairs := map[[2]string]bool{}
	for _, kind := range alterations {
		copies, pixels, both := 0, 0, 0
		for _, p := range all {
			if p.kind != kind.name {
				continue
			}
			pair := between(p.id, p.of)
			pairs[pair] = true
			copies++
			if known[pair] {
				pixels++
			}
			if found[pair] {
				both++
			}
		}
		add(kind.name, copies, pixels, both)
	}
	others := func(in map[[2]string]bool, planted, differ bool) (n int) {
		for p := range in {
			of := slices.ContainsFunc(p[:], func(id string) bool { return strings.Contains(id, "/copy-") })
			if !pairs[p] && of == planted && (!differ || filepath.Dir(p[0]) != filepath.Dir(p[1])) {
				n++
				b.say("  %s and %s", p[0], p[1])
			}
		}
		return n
	}
	add("pairs of photos as they were", 0, others(known, false, false), others(found, false, false))
	add("of these with different labels", 0, others(known, false, true), others(found, false, true))
	add("pairs of a copy and another photo", 0, others(known, true, false), others(found, true, false))
	return b.save([]string{"photos", "kind", "copies", "found_by_pixels", "found"}, records)
}
