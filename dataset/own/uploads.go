package own

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

// uploads finds images by the addresses that label tools have for them: paths on a server and URLs, such as
// /data/upload/3/9e3779b1-my_cat.jpg, in which Label Studio puts eight digits before the name and replaces its spaces.
type uploads struct {
	images []ownImage
	places map[string][]int // by the names of their files, as they are and as Label Studio writes them
}

var (
	uploadPrefix = regexp.MustCompile(`^[0-9a-f]{8}-`)
	uploadSigns  = regexp.MustCompile(`[^-\pL\pN_.]`) // that Label Studio removes
)

func newUploads(images []ownImage) *uploads {
	u := &uploads{images: images, places: map[string][]int{}}
	for k, image := range images {
		name := path.Base(image.name)
		u.places[name] = append(u.places[name], k)
		if written := uploadSigns.ReplaceAllString(strings.ReplaceAll(name, " ", "_"), ""); written != name {
			u.places[written] = append(u.places[written], k)
		}
	}
	return u
}

// isAddress reports whether a name is not a path in a folder.
func isAddress(name string) bool {
	return strings.HasPrefix(name, "/") || strings.Contains(name, "://")
}

// find returns the image at an address, "" if there is none. It is an error if there are several.
func (u *uploads) find(address string) (string, error) {
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	address = strings.ReplaceAll(address, "?d=", "/") // of Label Studio's local files
	base := path.Base(address)
	for _, name := range []string{base, uploadPrefix.ReplaceAllString(base, "")} {
		var inFolders []string
		for _, k := range u.places[name] {
			if strings.HasSuffix(address, "/"+u.images[k].name) {
				inFolders = append(inFolders, u.images[k].name)
			}
		}
		switch all := u.places[name]; {
		case len(inFolders) == 1:
			return inFolders[0], nil
		case len(all) == 1:
			return u.images[all[0]].name, nil
		case len(all) > 1:
			return "", fmt.Errorf("%q may be any of %d images (%s): give a table with their paths, --id naming its column",
				address, len(all), shorten(pickNames(u.images, all)))
		}
	}
	return "", nil
}

// column returns the column of a label tool's export with the addresses of images; "" where most are of none, and for
// other tables.
func (u *uploads) column(file string) string {
	r, err := rows.Open(file)
	if err != nil {
		return ""
	}
	defer r.Close()
	if rows.ToolOf(file) == "" && !r.Has("annotation_id") { // of Label Studio's CSV
		return ""
	}
	columns := r.Columns()
	found, n := make([]int, len(columns)), 0
	err = r.Each(func(values []string) error {
		n++
		for k, value := range values {
			if name, err := u.find(value); name != "" || err != nil {
				found[k]++
			}
		}
		return nil
	})
	for k, column := range columns {
		if err == nil && 2*found[k] > n {
			return column
		}
	}
	return ""
}

// readUploads reads a file of the labels of images, and replaces addresses by the paths of images.
func readUploads(file string, s Source, images []ownImage) (*labelTable, error) {
	u := newUploads(images)
	if s.ID == "" && rows.Is(file) {
		s.ID = u.column(file)
	}
	table, err := readLabelTable(file, s)
	if err != nil {
		return nil, err
	}
	for k, id := range table.ids {
		if !isAddress(id) {
			continue
		}
		name, err := u.find(id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if name == "" && uploadPrefix.MatchString(path.Base(id)) {
			name = path.Base(id)
		}
		if name != "" {
			table.ids[k] = name
		}
	}
	return table, nil
}
