package own

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/rows"
)

// uploads finds images by the addresses in label tools: URLs and paths on a server, such as
// /data/upload/3/9e3779b1-my_cat.jpg, where Label Studio puts eight digits before the name and replaces spaces.
type uploads struct {
	images []string         // their paths
	places map[string][]int // by file name, unchanged and as written by Label Studio
}

var (
	uploadPrefix = regexp.MustCompile(`^[0-9a-f]{8}-`)
	uploadSigns  = regexp.MustCompile(`[^-\pL\pN_.]`) // removed by Label Studio
)

func newUploads(images []string) *uploads {
	u := &uploads{images: images, places: map[string][]int{}}
	for k, image := range images {
		name := path.Base(image)
		u.places[name] = append(u.places[name], k)
		if written := uploadSigns.ReplaceAllString(strings.ReplaceAll(name, " ", "_"), ""); written != name {
			u.places[written] = append(u.places[written], k)
		}
	}
	return u
}

// isAddress reports whether a name is an address and not a path: a URL, or a path on Label Studio's server.
func isAddress(name string) bool {
	return strings.Contains(name, "://") || strings.HasPrefix(name, "/data/upload/") ||
		strings.HasPrefix(name, "/data/local-files/")
}

// find returns the image at an address, or "". It is an error if there are several.
func (u *uploads) find(address string) (string, error) {
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	address = strings.ReplaceAll(address, "?d=", "/") // for Label Studio's local files
	base := path.Base(address)
	for _, name := range []string{base, uploadPrefix.ReplaceAllString(base, "")} {
		var inFolders []string
		for _, k := range u.places[name] {
			if strings.HasSuffix(address, "/"+u.images[k]) {
				inFolders = append(inFolders, u.images[k])
			}
		}
		switch all := u.places[name]; {
		case len(inFolders) == 1:
			return inFolders[0], nil
		case len(all) == 1:
			return u.images[all[0]], nil
		case len(all) > 1:
			return "", fmt.Errorf("%q may be any of %d images (%s): use a table with their paths, and name its column with --id",
				address, len(all), shorten(dataset.Pick(u.images, all)))
		}
	}
	return "", nil
}

// isExport reports whether a table is an export of Label Studio, in JSON or CSV.
func isExport(file string) bool {
	if rows.IsTasks(file) {
		return true
	}
	r, err := rows.Open(file)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Has("annotation_id")
}

// readUploads reads a file of labels for images, and replaces addresses by the paths of images.
func readUploads(file string, s Source, images []string) (*labelTable, error) {
	u := newUploads(images)
	if s.ID == "" && isExport(file) {
		s.ID = columnOf(file, func(value string) bool {
			name, err := u.find(value)
			return name != "" || err != nil
		})
	}
	table, err := readLabelTable(file, s)
	if err != nil {
		return nil, err
	}
	if err := u.replace(table.ids); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return table, nil
}

// replace replaces addresses by the paths of images.
func (u *uploads) replace(names []string) error {
	for k, id := range names {
		if !isAddress(id) {
			continue
		}
		name, err := u.find(id)
		if err != nil {
			return err
		}
		if name == "" && uploadPrefix.MatchString(path.Base(id)) {
			name = path.Base(id) // no image has this name
		}
		if name != "" {
			names[k] = name
		}
	}
	return nil
}

// Locate replaces addresses of images in the answers by the names of examples.
func (a *Answers) Locate(names []string) error { return newUploads(names).replace(a.Tasks) }
