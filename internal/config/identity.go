package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
)

// ID returns the name of a run, 12 hex digits of the SHA-256 of its settings. It ignores the data folder, device, tf32,
// deterministic and workers, and settings that the loss or estimator never reads. Files (T, weights, trusted labels, an
// exported network, a user's own data or encoder weights) enter by their content, folders by the names and sizes of
// their files and the labels in them.
func (c Config) ID() string {
	// Struct fields are encoded in the order of the type and floats in their shortest form, so equal settings give equal
	// bytes.
	data, err := json.Marshal(c.identity())
	if err != nil {
		data = fmt.Appendf(nil, "%#v", c) // NaN or infinity, which Validate refuses
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:12]
}

// identity returns everything that affects the result of a run, with files' hashes instead of their paths.
func (c Config) identity() Config {
	c = c.Essential().Without(OfPlace, Shown)
	for _, s := range Settings {
		if v := s.Of(&c); v.Kind() == reflect.String && s.isPath(v.String()) {
			v.SetString(content(v.String()))
		}
	}
	return c
}

// Essential returns the configuration in its usual form, without the settings that its loss, estimator or noise never
// reads.
func (c Config) Essential() Config {
	loss, noise := c.LossEntry(), correction.Noises.Named(c.Noise.Kind)
	if loss.T != losses.EstimatedT {
		c.Estimator = Estimator{}
		if !loss.Trusted {
			c.Trusted = ""
		}
	}
	if !loss.Clips {
		c.Clip = 0
	}
	c.LossSettings = loss.Complete(c.LossSettings)
	if loss.T != losses.KnownT && c.Corrected == "" {
		c.Transition = ""
	}
	if !loss.Targets {
		c.Targets = ""
	}
	if !estimators.All.Named(c.Estimator.Name).Quantile {
		c.Estimator.Quantile = 0
	}
	if !noise.Flips {
		c.Noise.Groups = ""
	}
	return c.Usual()
}

// Inputs returns the paths, by key, of the files that the loss or noise reads, such as T and trusted labels.
func (c Config) Inputs() map[string]string {
	out := map[string]string{}
	for _, s := range Settings {
		if v := s.Of(&c); s.Path && (s.Scope == OfLoss || s.Scope == OfCell) && s.isPath(v.String()) {
			out[s.Key] = v.String()
		}
	}
	return out
}

// Contents returns the SHA-256 of the readable files of Inputs, by key.
func (c Config) Contents() map[string]string {
	out := map[string]string{}
	for key, path := range c.Inputs() {
		if sum, ok := strings.CutPrefix(content(path), contentPrefix); ok {
			out[key] = sum
		}
	}
	return out
}

// contentPrefix precedes the hash of a file in an identity.
const contentPrefix = "sha256:"

// content returns the hash that stands for a file in an identity.
func content(path string) string {
	if path == "" {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return path
	}
	// Weights are large files, and the ID of each run of a grid is computed several times.
	key := fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
	if known, ok := contents.Load(key); ok {
		return known.(string)
	}
	hash := files.SHA256
	if info.IsDir() {
		hash = hashList
	}
	sum, err := hash(path)
	if err != nil {
		return path
	}
	sum = contentPrefix + sum
	// A file written just now may change again without a new modification time.
	if time.Since(info.ModTime()) > time.Minute {
		contents.Store(key, sum)
	}
	return sum
}

// hashList returns the hash of the names and sizes of the files below a folder, and of the content of label files.
func hashList(folder string) (string, error) {
	h := sha256.New()
	folder, err := filepath.EvalSymlinks(folder) // WalkDir does not follow a link at the root
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		sum := ""
		if own.IsMetadata(entry.Name()) {
			if sum, err = files.SHA256(path); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(h, "%q %d%s\n", filepath.ToSlash(name), info.Size(), sum)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// contents holds the hashes of files by path, size and time.
var contents sync.Map

// TrustedDraw returns how many trusted labels are drawn from the true ones, per class or from all examples. Drawn is
// false if Trusted is a file or empty.
func (c Config) TrustedDraw() (n int, perClass, drawn bool) {
	random, ok := strings.CutPrefix(c.Trusted, randomTrusted)
	n, err := strconv.Atoi(random)
	return n, !ok, err == nil
}

// randomTrusted precedes the number of trusted labels drawn from all examples.
const randomTrusted = "random:"

// Prerequisite returns the cross-entropy run whose network an -estimated loss estimates T from: the same data, noise,
// seed and settings. The second result is false for other losses.
func (c Config) Prerequisite() (Config, bool) {
	if c.LossEntry().T != losses.EstimatedT {
		return Config{}, false
	}
	c.Loss, c.LossSettings, c.Transition, c.Targets = losses.FirstLoss, losses.Settings{}, "", ""
	return c, true
}

// Name returns a short description of the run, such as "mnist asymmetric .6 forward seed 1". It omits "no noise" for
// own data, which may have wrong labels already.
func (c Config) Name() string {
	parts := []string{c.Dataset}
	if models := ModelsOf(c.Dataset); len(models) > 1 || Exported(c.Model) {
		parts = append(parts, c.Network())
	}
	if !c.DataEntry().Own || c.Noise.Kind != correction.NoNoise {
		parts = append(parts, cmp.Or(correction.Noises.Named(c.Noise.Kind).Title, c.Noise.Kind))
	}
	if c.Noise.Level != 0 {
		parts = append(parts, strings.TrimPrefix(strconv.FormatFloat(c.Noise.Level, 'g', -1, 64), "0"))
	}
	parts = append(parts, c.Trains(), fmt.Sprintf("seed %d", c.Seed))
	if c.Folds.Out > 0 {
		parts = append(parts, fmt.Sprintf("without part %d of %d", c.Folds.Out, c.Folds.Count))
	}
	return strings.Join(parts, " ")
}

// Names returns the names of runs. If several have the same Name, the settings that differ are appended, as in
// "mnist asymmetric .6 forward seed 1 batch_size=64".
func Names(runs []Config) []string {
	names := make([]string, len(runs))
	alike := map[string][]int{}
	for i, c := range runs {
		names[i] = c.Name()
		alike[names[i]] = append(alike[names[i]], i)
	}
	for _, group := range alike {
		if len(group) < 2 {
			continue
		}
		same := make([]Config, len(group))
		for k, i := range group {
			same[k] = runs[i]
		}
		for _, s := range differing(same...) {
			for _, i := range group {
				names[i] += fmt.Sprintf(" %s=%v", s.Key, s.Of(&runs[i]).Interface())
			}
		}
	}
	return names
}

// differing returns the settings that differ between the identities of the runs.
func differing(runs ...Config) []Setting {
	runs = slices.Clone(runs)
	for i, c := range runs {
		runs[i] = c.identity()
	}
	return slices.DeleteFunc(slices.Clone(Settings), func(s Setting) bool {
		first := s.Of(&runs[0]).Interface()
		return !slices.ContainsFunc(runs, func(c Config) bool { return !reflect.DeepEqual(s.Of(&c).Interface(), first) })
	})
}

// Trains returns the loss, with a remark if it trains on corrected labels.
func (c Config) Trains() string {
	if c.Corrected != "" {
		return c.Loss + " on corrected labels"
	}
	return c.Loss
}

// Stream derives the seed of a named random stream (shuffle, dropout, noise, init, ...) from a run's seed. Streams with
// different names are independent, so changing what one of them draws does not affect the others.
func Stream(seed uint64, name string) uint64 {
	h := sha256.New()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
