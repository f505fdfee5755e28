package published

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// keyLists is the text files of a data set of images: lists of keys, which are paths of images, and lists of "key
// label". Keys are slices of the texts, not copies, since there are a million.
type keyLists struct {
	root  string
	text  map[string]string // by file
	files []dataset.File

	owner map[string]string // the list of each validation and test key
}

// loadKeyLists reads the lists and clothingNames.
func loadKeyLists(root string, lists []string) (*keyLists, error) {
	l := &keyLists{root: root, text: map[string]string{}, owner: map[string]string{}}
	for _, name := range append(lists, clothingNames) {
		raw, err := os.ReadFile(l.path(name))
		if err != nil {
			return nil, fmt.Errorf("%w, though other files of the set exist: unpack all of its annotations there", err)
		}
		if err := dataset.CheckText(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", l.path(name), err)
		}
		l.text[name] = string(raw)
		l.files = append(l.files, dataset.FileOf(l.path(name), raw))
	}
	return l, nil
}

// count returns the number of lines of a file, or one more.
func (l *keyLists) count(name string) int { return strings.Count(l.text[name], "\n") + 1 }

func (l *keyLists) path(name string) string { return filepath.Join(l.root, name) }

// lines calls visit with the non-empty lines of a file. Every error names the file and the line.
func (l *keyLists) lines(name string, visit func(line string) error) error {
	n := 0
	for line := range strings.Lines(l.text[name]) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := visit(line); err != nil {
			return fmt.Errorf("%s:%d: %w", l.path(name), n, err)
		}
	}
	return nil
}

// classes reads the names of the classes, one per line.
func (l *keyLists) classes() (names []string, err error) {
	seen := map[string]bool{}
	err = l.lines(clothingNames, func(name string) error {
		if seen[name] {
			return fmt.Errorf("the class %q is listed twice", name)
		}
		seen[name] = true
		names = append(names, name)
		return nil
	})
	if err == nil && len(names) < 2 {
		err = fmt.Errorf("%s: %d classes, want two or more, one per line", l.path(clothingNames), len(names))
	}
	return names, err
}

// keyLabels is the class of each key in a file of labels.
type keyLabels struct {
	file string
	of   map[string]int
}

// labels reads a file of "key label".
func (l *keyLists) labels(name string, classes int) (keyLabels, error) {
	labels := keyLabels{name, make(map[string]int, l.count(name))}
	err := l.lines(name, func(line string) error {
		at := strings.LastIndexAny(line, " \t")
		if at < 0 {
			return fmt.Errorf("%q: want a key, a space and a label", line)
		}
		key := strings.TrimSpace(line[:at])
		class, err := strconv.Atoi(line[at+1:])
		if err != nil || class < 0 || class >= classes {
			return fmt.Errorf("label %q of %s, want a whole number in [0, %d), since %s has %[3]d classes", line[at+1:], key,
				classes, clothingNames)
		}
		if _, ok := labels.of[key]; ok {
			return fmt.Errorf("a second label for %s", key)
		}
		labels.of[key] = class
		return nil
	})
	return labels, err
}

// keys returns the keys of a list in its order, and their classes by a file of labels. A key must stay inside the
// folder and appear once. Keys of cleanVal and cleanTest must not be in other lists.
func (l *keyLists) keys(list string, labels keyLabels) (keys []string, classes []int, err error) {
	keys, seen := make([]string, 0, l.count(list)), make(map[string]bool, l.count(list))
	err = l.lines(list, func(key string) error {
		if !filepath.IsLocal(filepath.FromSlash(key)) || strings.Contains(key, `\`) {
			return fmt.Errorf("%q leads out of the folder, or has backslashes", key)
		}
		if seen[key] {
			return fmt.Errorf("%s is listed twice", key)
		}
		if other := l.owner[key]; other != "" && other != list {
			return fmt.Errorf("%s is also in %s: test images must not be trained on", key, other)
		}
		if list == cleanVal || list == cleanTest {
			l.owner[key] = list
		}
		class, ok := labels.of[key]
		if !ok {
			return fmt.Errorf("%s has no label in %s", key, labels.file)
		}
		seen[key] = true
		keys, classes = append(keys, key), append(classes, class)
		return nil
	})
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("%s has no keys", l.path(list))
	}
	return keys, classes, err
}

// pairs returns the true and given labels of the keys in a list that have both, in its order, without validation
// and test images.
func (l *keyLists) pairs(list string, truth, given keyLabels) ([][2]int, error) {
	keys, classes, err := l.keys(list, truth)
	if err != nil {
		return nil, err
	}
	pairs := [][2]int{} // not nil, since the data set comes with noisy labels
	for k, key := range keys {
		if noisy, ok := given.of[key]; ok {
			pairs = append(pairs, [2]int{classes[k], noisy})
		}
	}
	return pairs, nil
}
