package auditbench

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
)

// topicOf are the sections of Debian that are topics, each with the one that its labels go to under asymmetric noise.
var topicOf = map[string]string{
	"admin": "net", "database": "admin", "editors": "text", "electronics": "science", "fonts": "text", "games": "graphics", "graphics": "video", "mail": "web",
	"math": "science", "net": "admin", "science": "math", "sound": "video", "text": "editors", "video": "graphics", "web": "net",
}

const (
	shortestTopic = 80   // characters of a description that says enough
	mostTopics    = 3000 // descriptions of an audit
)

// topics audits descriptions of Debian's packages by the default views: 15 classes, the smallest with an eleventh of the
// examples of the largest. The folder has two files of a release, unpacked: Packages and Translation-en.
func (b *bench) topics(ctx context.Context) error {
	all, err := readTopics(b.Packages)
	if err != nil {
		return err
	}
	if len(all) < mostTopics {
		return fmt.Errorf("%s: %d descriptions of packages, want those of a release of Debian", b.Packages, len(all))
	}
	classes := slices.Sorted(maps.Keys(topicOf))
	var rows []fewRow
	for _, examples := range []int{1000, mostTopics} {
		for _, noise := range []struct {
			name  string
			share float64
		}{{"none", 0}, {"symmetric", .2}, {"symmetric", .4}, {"asymmetric", .3}} {
			t, err := topicNoise(classes, noise.name, noise.share)
			if err != nil {
				return err
			}
			for draw := range fewDraws {
				if examples == mostTopics && draw > 0 {
					break
				}
				var some []text
				for _, k := range rand.New(rand.NewPCG(seed, uint64(examples+draw))).Perm(len(all))[:examples] {
					some = append(some, all[k])
				}
				n, err := b.texts(some, classes, t)
				if err != nil {
					return err
				}
				row, err := b.fewOf(ctx, n)
				if err != nil {
					return err
				}
				row.Noise, row.Draw = strings.TrimSuffix(fmt.Sprintf("%s %v", noise.name, noise.share), " 0"), draw+1
				b.say("%+v", row)
				rows = append(rows, row)
				if err := b.saveFew(rows); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// topicNoise is the T of a kind of noise.
func topicNoise(classes []string, name string, share float64) (*correction.Matrix, error) {
	if name != "asymmetric" {
		return correction.Symmetric(classes, share)
	}
	rows := make([][]float64, len(classes))
	for k, class := range classes {
		rows[k] = make([]float64, len(classes))
		rows[k][k], rows[k][slices.Index(classes, topicOf[class])] = 1-share, share
	}
	return correction.NewMatrix(classes, rows)
}

// readTopics returns the descriptions of one package of each source and section, in the order of Packages.
func readTopics(folder string) (all []text, err error) {
	long := map[string]string{}
	err = stanzas(filepath.Join(folder, "Translation-en"), func(fields map[string]string) {
		long[fields["Description-md5"]] = fields["Description-en"]
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	err = stanzas(filepath.Join(folder, "Packages"), func(fields map[string]string) {
		section := fields["Section"]
		source, _, _ := strings.Cut(fields["Source"], " ")
		if source == "" {
			source = fields["Package"]
		}
		description := strings.Join(strings.Fields(strings.ReplaceAll(long[fields["Description-md5"]], "\n .", "\n")), " ")
		if topicOf[section] == "" || len(description) < shortestTopic || seen[source+" "+section] {
			return
		}
		seen[source+" "+section] = true
		all = append(all, text{fields["Package"], description, section})
	})
	return all, err
}

// stanzas reads a file of Debian's control data.
func stanzas(file string, each func(fields map[string]string)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	fields, last := map[string]string{}, ""
	for lines.Scan() {
		line := lines.Text()
		switch name, value, found := strings.Cut(line, ":"); {
		case line == "":
			each(fields)
			fields = map[string]string{}
		case strings.HasPrefix(line, " "):
			fields[last] += "\n" + line
		case found:
			last = name
			fields[name] = strings.TrimSpace(value)
		}
	}
	if len(fields) > 0 {
		each(fields)
	}
	return lines.Err()
}
