package measured

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// Review is a labelled text of IMDB.
type Review struct {
	ID        string // its path without the ending, such as test/neg/0_2
	Text      string
	Sentiment string // neg or pos
}

// Reviews reads the labelled texts of aclImdb_v1.tar.gz, in the order of their IDs.
func Reviews(file string) (all []Review, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for archive := tar.NewReader(plain); ; {
		member, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		parts := strings.Split(path.Clean(member.Name), "/")
		if len(parts) != 4 || parts[2] != "neg" && parts[2] != "pos" || path.Ext(parts[3]) != ".txt" {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, Review{strings.TrimSuffix(path.Join(parts[1:]...), ".txt"), string(text), parts[2]})
	}
	slices.SortFunc(all, func(x, y Review) int { return cmp.Compare(x.ID, y.ID) })
	return all, nil
}
