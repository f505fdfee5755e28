package own

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// metadataFile has the labels of the images in and below its folder, in the columns file_name and label,
// as in Hugging Face's imagefolder.
const metadataFile = "metadata.csv"

// IsMetadata reports whether a file's name is metadataFile, or its counterpart in JSON lines.
func IsMetadata(name string) bool { return name == metadataFile || name == "metadata.jsonl" }

// imageTree is a folder or an archive of images.
type imageTree struct {
	container
	root   string   // the single folder with all others, with a slash at its end, or ""
	names  []string // paths of the images, sorted
	tables int64    // total bytes of metadataFiles

	images *labelTable       // images with a label
	left   []dataset.Skipped // other images, and labels without an image

	// The size of the images with a readable header, if measured, and the first one; zero if sizes differ.
	width, height int
	largest       int // largest side; zero if sizes differ and one is above smallSide
}

// smallSide is the largest side for measuring images of different sizes one by one.
const smallSide = 128

// measured records the size of an image, and reports whether to measure the next one.
func (t *imageTree) measured(width, height int) bool {
	if t.largest == 0 {
		t.width, t.height = width, height
	}
	if width != t.width || height != t.height {
		t.width, t.height = 0, 0
	}
	if t.largest = max(t.largest, width, height); t.width > 0 || t.largest <= smallSide {
		return true
	}
	t.largest = 0
	return false
}

// readTree lists the images. If measure is set, it reads their headers.
func readTree(ctx context.Context, c container, measure bool) (*imageTree, error) {
	given := len(c.labels) > 0
	if !given {
		skip := c.Skip
		c.Skip = func(name string) bool {
			return skip != nil && skip(name) || !IsMetadata(path.Base(name)) && !files.IsImage(name)
		}
	}
	t := &imageTree{container: c}
	err := c.Walk(func(m archive.Member) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case m.Dir:
			return nil
		case given && m.Open == nil && m.Problem == nil && m.Image == nil: // a labelFile
			return nil
		case !given && IsMetadata(path.Base(m.Name)):
			return t.addLabels(m)
		}
		if !utf8.ValidString(m.Name) {
			return fmt.Errorf("%q: the name is not UTF-8: rename the file (convmv -f ITS-ENCODING -t UTF-8); unpack an "+
				"archive first", m.Name)
		}
		t.names = append(t.names, m.Name)
		if !measure {
			return nil
		}
		w, h, err := headerSize(m)
		if w == 0 || err != nil {
			return err
		}
		measure = t.measured(w, h)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(t.names) == 0 {
		return nil, fmt.Errorf("%s: found no images: their names must end in "+
			"%s", t.Path, strings.Join(files.ImageEndings[:10], ", "))
	}
	if t.sums == nil { // names of rows are in order already
		slices.Sort(t.names)
	}
	slices.SortFunc(t.labels, func(a, b labelFile) int { return cmp.Compare(a.name, b.name) })
	for k, name := range t.names[1:] {
		if t.names[k] == name {
			return nil, fmt.Errorf("%s: %s is listed twice", t.Path, humanize.Visible(name))
		}
	}
	t.findRoot()
	return t, nil
}

// maxTables is the largest total size of a tree's metadataFiles.
const maxTables = 4 * archive.MaxMember

// addLabels adds a metadataFile.
func (t *imageTree) addLabels(m archive.Member) error {
	if t.tables += m.Size; t.tables > maxTables {
		return fmt.Errorf("the files %s have more than %d MiB: use one table with --labels", metadataFile, maxTables>>20)
	}
	raw, err := m.Read()
	t.labels = append(t.labels, labelFile{m.Name, func() (*rows.Reader, error) {
		return rows.OpenBytes(filepath.Join(t.Path, m.Name), raw)
	}})
	return err
}

// headerSize reads the size of an image from its header, which may be at the end of the file. It is zero
// if the header cannot be decoded.
func headerSize(m archive.Member) (width, height int, err error) {
	if m.Problem != nil || m.Image != nil || m.Size > archive.MaxMember {
		return m.Pixels.X, m.Pixels.Y, nil
	}
	r, err := m.Open()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", humanize.Visible(m.Name), err)
	}
	defer r.Close()
	var header bytes.Buffer
	c, _, err := image.DecodeConfig(io.TeeReader(io.LimitReader(r, m.Size), &header))
	if err != nil {
		return 0, 0, nil
	}
	if width, height, err = picture.Size(header.Bytes()); err != nil {
		return c.Width, c.Height, nil
	}
	return width, height, nil
}

// findRoot descends while there is a single folder with other folders in it.
func (t *imageTree) findRoot() {
	for {
		top, _, _ := strings.Cut(t.names[0][len(t.root):], "/")
		inside := t.root + top + "/"
		if splitOf(top) != "" || slices.ContainsFunc(t.names, func(name string) bool {
			return !strings.HasPrefix(name, inside) || strings.Count(name[len(inside):], "/") == 0
		}) {
			return
		}
		t.root = inside
	}
}

// place returns the splits and classes by the names of the images' folders, and the paths of the class
// folders. If table is set, images may be anywhere and without a class.
func (t *imageTree) place(table bool) (images *labelTable, folders []string, err error) {
	parts := make([][]string, len(t.names))
	split := table // all images are in folders of splits
	for k, name := range t.names {
		parts[k] = strings.Split(name[len(t.root):], "/")
		inSplit := splitOf(parts[k][0]) != ""
		if table {
			split = split && inSplit && len(parts[k]) > 1
		} else {
			split = split || inSplit && len(parts[k]) > 2
		}
	}
	split = split || !slices.ContainsFunc(parts, func(p []string) bool { return len(p) != 2 || splitOf(p[0]) == "" })
	n := len(t.names)
	images = &labelTable{path: t.Path, n: n, ids: slices.Clone(t.names), splits: slices.Repeat([]string{"train"}, n),
		labels: make([]string, n)}
	folders = make([]string, n)
	for k, p := range parts {
		above := t.root
		if split && splitOf(p[0]) != "" {
			above += p[0] + "/"
			images.splits[k], p = splitOf(p[0]), p[1:]
		} else if split {
			return nil, nil, t.misplaced(t.names[k])
		}
		if len(p) > 1 {
			images.labels[k], folders[k] = strings.TrimSpace(p[0]), above+p[0]
		}
		if !table && (len(p) < 2 || len(p) > 2 && splitOf(p[1]) != "") {
			return nil, nil, t.misplaced(t.names[k])
		}
	}
	return images, folders, nil
}

func (t *imageTree) misplaced(name string) error {
	return fmt.Errorf("%s: %s is in the wrong folder: want CLASS/FILE or {train,val,test}/CLASS/FILE; move it, or list "+
		"the labels of all images in a %s with file_name and label, or with --labels",
		t.Path, humanize.Visible(name), metadataFile)
}

// ClassFolders returns the class folder of each image by its path, for a folder or archive of class
// folders.
func (s Source) ClassFolders(ctx context.Context) (map[string]string, error) {
	tree, err := s.readTree(ctx, false)
	if err != nil {
		return nil, err
	}
	images, folders, err := tree.place(false)
	if err != nil {
		return nil, err
	}
	of := make(map[string]string, len(folders))
	for k, name := range images.ids {
		of[name] = folders[k]
	}
	return of, nil
}

// readTree opens the images of a source and lists them.
func (s Source) readTree(ctx context.Context, measure bool) (*imageTree, error) {
	c, err := openContainer(s.Path)
	if err != nil {
		return nil, err
	}
	return readTree(ctx, c, measure)
}
