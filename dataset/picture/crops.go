package picture

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"os"
	"sync"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"

	"github.com/losscorr/losscorr/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
)

// Crop is a part of an image that is an example of its own.
type Crop struct {
	Name string                                  // of the member, with the ending of an image
	File string                                  // path of the image
	In   func(width, height int) image.Rectangle // the part by the image's size; nil for the whole image
}

// headerBytes is how much of a file is read first for the size of its image.
const headerBytes = 1 << 16

// Crops returns the members of a container that are parts of images: BMP files, or the image's own file
// where it is a whole one. Members of one image that follow each other are cut of one decoding.
// Those of images that cannot be read, and parts of no pixel, have a Problem.
func Crops(crops []Crop) []archive.Member {
	c := &cutter{}
	sizes := make(map[string]sized)
	members := make([]archive.Member, len(crops))
	for k, crop := range crops {
		of, known := sizes[crop.File]
		if !known {
			of = sizeOf(crop.File)
			sizes[crop.File] = of
		}
		members[k] = c.member(crop, of)
	}
	return members
}

// sized is what is known of a file of an image without decoding it.
type sized struct {
	width, height int
	size, time    int64
	problem       error
}

func sizeOf(path string) (s sized) {
	file, err := files.Open(path)
	if err != nil {
		return sized{problem: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return sized{problem: err}
	}
	s.size, s.time = info.Size(), info.ModTime().UnixNano()
	for _, most := range []int64{headerBytes, s.size} {
		head := make([]byte, min(most, s.size, archive.MaxMember))
		if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
			return sized{problem: err}
		}
		if s.width, s.height, s.problem = Size(head); s.problem == nil || most == s.size {
			break
		}
	}
	return s
}

// cutter cuts parts out of the image that it decoded last.
type cutter struct {
	sync.Mutex
	path  string
	image image.Image
}

func (c *cutter) member(crop Crop, of sized) archive.Member {
	m := archive.Member{Name: crop.Name, Size: of.size, Time: of.time, Problem: of.problem}
	if of.problem != nil {
		return m
	}
	if crop.In == nil {
		m.Open = func() (io.ReadCloser, error) { return os.Open(crop.File) }
		return m
	}
	part := crop.In(of.width, of.height)
	if part.Empty() {
		m.Problem = fmt.Errorf("its box has no pixel in the image of %d x %d", of.width, of.height)
		return m
	}
	m.Size = bmpSize(part.Dx(), part.Dy())
	m.Time ^= int64(part.Min.X)<<32 ^ int64(part.Min.Y) // two boxes of one size are two contents
	m.Open = func() (io.ReadCloser, error) {
		raw, err := c.cut(crop.File, part)
		if err != nil {
			return nil, archive.NewUnreadable(err)
		}
		return io.NopCloser(bytes.NewReader(raw)), nil
	}
	return m
}

// bmpSize is the number of bytes of a BMP file of 24 bits for each pixel.
func bmpSize(width, height int) int64 { return 54 + int64(height)*int64((3*width+3)/4*4) }

// cut returns a part of an image as a BMP file.
func (c *cutter) cut(path string, part image.Rectangle) ([]byte, error) {
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
	draw.Draw(out, out.Bounds(), image.Black, image.Point{}, draw.Src) // what is transparent
	draw.Draw(out, out.Bounds(), c.image, part.Min, draw.Over)
	var b bytes.Buffer
	if err := bmp.Encode(&b, out); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
