package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/tensorboard"
)

// TensorBoardDir is the folder, beside those of the runs, of links to them under names for
// people: mnist-mlp-code/forward-asymmetric-0.6-seed-1-3f2a. TensorBoard names a run by its
// folder.
const TensorBoardDir = "tensorboard"

// link makes the run's link in TensorBoardDir. A file system without links has the run
// under its ID alone, which is no error.
func (f *Folder) link(c config.Config) {
	path := filepath.Join(filepath.Dir(f.dir), TensorBoardDir, tensorBoardName(c, filepath.Base(f.dir)))
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = os.Symlink(filepath.Join("..", "..", filepath.Base(f.dir)), path) // or it is there
	}
}

// tensorBoardName names a run by data set, network and preset in a folder, then by loss,
// noise and seed, and by four digits of its ID, which other settings change.
func tensorBoardName(c config.Config, id string) string {
	noise := c.Noise.Kind
	if c.Noise.Level != 0 {
		noise += "-" + strconv.FormatFloat(c.Noise.Level, 'g', -1, 64)
	}
	group := fmt.Sprintf("%s-%s-%s", c.Dataset, c.Network(), c.Preset)
	run := fmt.Sprintf("%s-%s-seed-%d-%.4s", c.Loss, noise, c.Seed, id)
	word := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._", r) {
			return r
		}
		return '-'
	}
	return filepath.Join(strings.Map(word, group), strings.Map(word, run))
}

// hparams are all settings of a run but those that say where it is computed, by dotted key;
// lists are text.
func hparams(c config.Config) tensorboard.HParams {
	text, err := json.Marshal(c.Without(config.OfPlace))
	var tree map[string]any
	if err == nil {
		err = json.Unmarshal(text, &tree)
	}
	if err != nil {
		return nil // NaN or infinity, which Validate refuses
	}
	out := tensorboard.HParams{}
	var walk func(prefix string, tree map[string]any)
	walk = func(prefix string, tree map[string]any) {
		for key, v := range tree {
			switch v := v.(type) {
			case map[string]any:
				walk(prefix+key+".", v)
			case []any:
				out[prefix+key] = strings.Trim(fmt.Sprint(v), "[]")
			default:
				out[prefix+key] = v
			}
		}
	}
	walk("", tree)
	return out
}
