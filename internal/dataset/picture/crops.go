package picture

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"os"
	"sync"

	"golang.org/x/image/draw"

	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
)

// Crop is an example that is part of an image.
type Crop struct {
	Name string // of the member
	File string // path of the image
	// In returns the part for an image of the given size; nil for the whole image.
	In func(width, height int) image.Rectangle
	// Of is the size of the image when the part was marked, to detect an image before its EXIF turn and smaller or
	// larger copies; zero if unknown.
	Of image.Point
}

// headerBytes is how much of a file is read first to find the size of its image.
const headerBytes = 1 << 16

// Crops returns members for parts of images, or the image's own file for a whole image. Consecutive members of
// one image share its decoding. A member has a Problem if the image cannot be read or has another shape, or if
// the part has no pixels.
func Crops(crops []Crop) []archive.Member {
	c := &cutter{}
	headers := make(map[string]imageHeader)
	asSeen, asStored := false, false // some parts fit only images after or before the turn
	for _, crop := range crops {
		header, known := headers[crop.File]
		if !known {
			header = readHeader(crop.File)
			headers[crop.File] = header
		}
		seen, stored := header.likeness(crop)
		asSeen, asStored = asSeen || seen > stored, asStored || stored > seen
	}
	members := make([]archive.Member, len(crops))
	for k, crop := range crops {
		members[k] = c.member(crop, headers[crop.File], asStored && !asSeen)
	}
	return members
}

// imageHeader is the header of an image file, or why it cannot be read.
type imageHeader struct {
	seen, stored image.Point // sizes after and before the EXIF turn
	orientation  int
	size, time   int64
	problem      error
}

func readHeader(path string) (h imageHeader) {
	file, err := files.Open(path)
	if err != nil {
		return imageHeader{problem: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return imageHeader{problem: err}
	}
	h.size, h.time = info.Size(), info.ModTime().UnixNano()
	for _, most := range []int64{headerBytes, h.size} {
		head := make([]byte, min(most, h.size, archive.MaxMember))
		if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
			return imageHeader{problem: err}
		}
		h.seen.X, h.seen.Y, h.problem = Size(head)
		h.stored, h.orientation = h.seen, orientationOf(head)
		if sideways(h.orientation) {
			h.stored = image.Pt(h.seen.Y, h.seen.X)
		}
		exifAtEnd := bytes.HasPrefix(head, []byte("RIFF")) // in WebP
		if h.problem == nil && !exifAtEnd || most == h.size {
			break
		}
	}
	return h
}

// likeness compares a part's image size with the file after and before the turn: 2 for the same size, 1 for the
// same proportions, 0 for others.
func (h imageHeader) likeness(crop Crop) (seen, stored int) {
	if h.problem != nil || crop.In == nil || crop.Of == (image.Point{}) {
		return 0, 0
	}
	return likeness(crop.Of, h.seen), likeness(crop.Of, h.stored)
}

func likeness(a, b image.Point) int {
	switch {
	case a == b:
		return 2
	case (b.X-1)*a.Y < (b.Y+1)*a.X && (b.Y-1)*a.X < (b.X+1)*a.Y: // up to rounding to whole pixels
		return 1
	}
	return 0
}

// part returns a part in the image after the turn. If its size fits both before and after the turn, turned
// decides.
func (h imageHeader) part(crop Crop, turned bool) (image.Rectangle, error) {
	seen, stored := h.likeness(crop)
	if seen == 0 && stored == 0 && crop.Of != (image.Point{}) {
		return image.Rectangle{}, fmt.Errorf("its box is for a %d x %d picture, but the file is %d x %d",
			crop.Of.X, crop.Of.Y, h.seen.X, h.seen.Y)
	}
	part := crop.In(h.seen.X, h.seen.Y)
	if stored > seen || turned && stored == seen && stored > 0 {
		part = turnedPart(crop.In(h.stored.X, h.stored.Y), h.stored, h.orientation)
	}
	if part.Empty() {
		return part, fmt.Errorf("its box has no pixels in the image of %d x %d", h.seen.X, h.seen.Y)
	}
	return part, nil
}

// cutter cuts parts out of the last decoded image.
type cutter struct {
	sync.Mutex
	path  string
	image image.Image
}

func (c *cutter) member(crop Crop, of imageHeader, turned bool) archive.Member {
	m := archive.Member{Name: crop.Name, Size: of.size, Time: of.time, Problem: of.problem}
	if of.problem != nil {
		return m
	}
	if crop.In == nil {
		m.Open = func() (io.ReadCloser, error) { return os.Open(crop.File) }
		return m
	}
	part, err := of.part(crop, turned)
	if err != nil {
		m.Size, m.Problem = 0, err // differs from the whole image's size
		return m
	}
	m.Pixels = part.Size()
	m.Size = 54 + int64(part.Dy())*int64((3*part.Dx()+3)/4*4) // of a BMP file, which audits use as its identity
	m.Time ^= int64(part.Min.X)<<32 ^ int64(part.Min.Y)       // so that boxes of the same size differ
	m.Image = func() (image.Image, error) { return c.cut(crop.File, part) }
	return m
}

// cut returns a part of an image.
func (c *cutter) cut(path string, part image.Rectangle) (image.Image, error) {
	c.Lock()
	defer c.Unlock()
	if c.path != path {
		raw, err := files.Read(path, archive.MaxMember)
		if err != nil {
			return nil, err
		}
		c.path = ""
		if c.image, err = Decode(raw); err != nil {
			return nil, err
		}
		c.path = path
	}
	out := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(out, out.Bounds(), image.Black, image.Point{}, draw.Src) // transparent pixels become black
	draw.Draw(out, out.Bounds(), c.image, part.Min, draw.Over)
	return out, nil
}
