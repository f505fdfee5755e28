package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"math"
	"net/http"
	"os"
	"sync"

	"golang.org/x/image/draw"
)

// originalImages returns the files of training images, by their places in the training
// set. A .tar.gz is read from its beginning at each call, so that one call should ask
// for many images. An image that is missing or broken is the zero Original.
func originalImages(ctx context.Context, s Source, rows []int) ([]Original, error) {
	names, err := trainingNames(ctx, s)
	if err != nil {
		return nil, err
	}
	wanted := map[string][]int{} // the places in rows
	for k, row := range rows {
		if row < 0 || row >= len(names) {
			return nil, fmt.Errorf("training image %d of %s, want one in [0, %d)", row, s.Path, len(names))
		}
		wanted[names[row]] = append(wanted[names[row]], k)
	}
	container, err := newSource(s.Path)
	if err != nil {
		return nil, err
	}
	originals := make([]Original, len(rows))
	found := func(name string, raw []byte) error {
		original, err := newOriginal(raw)
		for _, k := range wanted[name] {
			originals[k] = original
		}
		delete(wanted, name)
		return err
	}
	if container.isFolder() {
		files := imageFiles{root: s.Path}
		for name := range wanted {
			var raw bytes.Buffer
			problem, err := files.load(name, &raw)
			if err != nil {
				return nil, err
			}
			if problem == nil {
				err = found(name, raw.Bytes())
			}
			if err != nil {
				return nil, err
			}
		}
		return originals, nil
	}
	err = container.walk(func(m member) error {
		switch _, ok := wanted[m.name]; {
		case len(wanted) == 0:
			return fs.SkipAll
		case !ok:
			return ctx.Err()
		}
		raw, err := m.read()
		if err != nil {
			return err
		}
		return found(m.name, raw)
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return originals, err
}

const (
	maxOriginal = 8 << 20 // bytes of an image that is shown as it is
	previewSide = 1024
)

// newOriginal returns an image as browsers show it: one of another format, or of many
// bytes, becomes a JPEG of at most 1024 x 1024 pixels. A broken one is the zero Original.
func newOriginal(raw []byte) (Original, error) {
	switch mime := http.DetectContentType(raw); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if len(raw) <= maxOriginal {
			return Original{Image: raw, MIME: mime}, nil
		}
	}
	width, height, err := imageSize(raw)
	if err != nil {
		return Original{}, nil
	}
	largeImages.Lock()
	defer largeImages.Unlock()
	img, _, err := decodeImage(raw, width, height)
	if err != nil {
		return Original{}, nil
	}
	scale := min(1, float64(previewSide)/float64(max(width, height)))
	side := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	preview := image.NewRGBA(image.Rect(0, 0, side(width), side(height)))
	draw.ApproxBiLinear.Scale(preview, preview.Bounds(), img, img.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	err = jpeg.Encode(&b, preview, nil)
	return Original{Image: b.Bytes(), MIME: "image/jpeg"}, err
}

// lastNames remembers the names of the training images of the source that was opened
// last: listing and hashing its files takes longer than reading some images.
type lastNames struct {
	mu     sync.Mutex
	source string
	names  []string
}

var shown lastNames

func (l *lastNames) set(s Source, names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.source, l.names = fmt.Sprintf("%+v", s), names
}

func (l *lastNames) get(s Source) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source != fmt.Sprintf("%+v", s) {
		return nil
	}
	return l.names
}

// trainingNames returns the names of the training images that could be decoded, from
// the head of the cache if there is one.
func trainingNames(ctx context.Context, s Source) ([]string, error) {
	if names := shown.get(s); names != nil {
		return names, nil
	}
	opt := Options{MaxBad: math.MaxInt}
	o, err := listOwnImages(ctx, s, opt)
	if err != nil {
		return nil, err
	}
	p := o.parts[0]
	names := p.names()[:trainCount(p.images)]
	streamed, err := o.streamed()
	if err != nil {
		return nil, err
	}
	if !streamed {
		head, err := p.cacheHead(o.job(p))
		if err != nil { // no cache
			d, err := openOwnImages(ctx, s, opt)
			if err != nil {
				return nil, err
			}
			return d.Train.IDs, nil
		}
		kept := p.named(head.Dataset.Train.IDs)
		names = ownPart{images: kept[:trainCount(kept)]}.names()
	}
	shown.set(s, names)
	return names, nil
}

func (p ownPart) cacheHead(job imageJob) (cacheHead, error) {
	key, err := job.key(p.tree.source)
	if err != nil {
		return cacheHead{}, err
	}
	f, err := os.Open(cachePath(ownCache, key))
	if err != nil {
		return cacheHead{}, err
	}
	defer f.Close()
	return readCacheHead(f, key)
}
