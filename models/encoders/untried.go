package encoders

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Untried is whether the encoder was never tried with its weights, whose hash is not known then. A
// user adds their file, which is known by the names and shapes of its parameters and what is known of its hash.
func (e Entry) Untried() bool { return e.Name != "" && e.SHA256 == "" }

// given returns the file of weights that a user has added, and its hash.
func (e Entry) given() (path, sum string, err error) {
	all, err := e.allGiven()
	if err != nil {
		return "", "", err
	}
	missing := func(why string) error {
		return fmt.Errorf("encoder %s: %w%s: fetch %s of %s by hand, and losscorr encoders add %s %s", e.Name, ErrMissing, why, e.Base(), e.Source, e.Name, e.Base())
	}
	switch len(all) {
	case 0:
		return "", "", missing("")
	case 1:
	default:
		return "", "", missing(", or are more than one file: remove " + strings.Join(all, " and "))
	}
	if sum, err = files.SHA256(all[0]); err != nil {
		return "", "", err
	}
	if path, err = e.place(File{SHA256: sum, Member: e.Member}); err == nil && path != all[0] {
		err = missing(": " + all[0] + " was changed; remove it")
	}
	return path, sum, err
}

// Given returns the name of the file that a user has added, which tells its content, without reading
// it; "" for encoders whose file is known.
func (e Entry) Given() string {
	if !e.Untried() {
		return ""
	}
	all, _ := e.allGiven()
	var names []string
	for _, path := range all {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, " ")
}

// allGiven lists the files at the places of the encoder's weights.
func (e Entry) allGiven() ([]string, error) {
	pattern, err := e.place(File{SHA256: "????????????", Member: e.Member})
	if err != nil {
		return nil, err
	}
	return files.Glob(filepath.Dir(pattern), filepath.Base(pattern)), nil
}

// addGiven copies a file of weights that fit to its place, and removes the one that was there.
func (e Entry) addGiven(path string) (string, error) {
	var unfit error
	torch.Scope(func() { _, unfit = e.Load(path, nn.Init{}) })
	if unfit != nil {
		why := strings.Split(unfit.Error(), "\n") // each parameter that differs
		if n := len(why) - 2; n > 0 {
			why = []string{why[0], fmt.Sprintf("%s, and %d more", why[1], n)}
		}
		return "", fmt.Errorf("%s is not %s of %s: %s", path, e.Base(), e.Source, strings.Join(why, " "))
	}
	sum, err := files.SHA256(path)
	if err == nil && !strings.HasPrefix(sum, e.Begins) {
		err = fmt.Errorf("%s has the SHA-256 %s, that of %s begins with %s", path, sum, e.Base(), e.Begins)
	}
	if err != nil {
		return "", err
	}
	before, err := e.allGiven()
	if err != nil {
		return "", err
	}
	to, err := e.place(File{SHA256: sum, Member: e.Member})
	if err != nil {
		return "", err
	}
	if err := e.keep(path, File{SHA256: sum, Member: e.Member}); err != nil {
		return "", fmt.Errorf("write the weights of %s: %w", e.Name, err)
	}
	for _, old := range before {
		if old != to {
			if err := os.Remove(old); err != nil {
				return "", err
			}
		}
	}
	return e.Path()
}
