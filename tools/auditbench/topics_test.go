package auditbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One package of each source and section is a topic, by its long description.
func TestReadTopics(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("plays a game of cards ", 4)
	for name, content := range map[string]string{
		"Packages": "Package: aces\nVersion: 1\nSource: cards (1.2)\nDescription-md5: a1\nSection: games\n\n" +
			"Package: aces-data\nSource: cards\nDescription-md5: a1\nSection: games\n\n" +
			"Package: cards-doc\nSource: cards\nDescription-md5: a1\nSection: doc\n\n" +
			"Package: short\nDescription-md5: b2\nSection: games\n\n" +
			"Package: kings\nDescription-md5: a1\nSection: games\n",
		"Translation-en": "Package: aces\nDescription-md5: a1\nDescription-en: solitaire\n " + long + "\n .\n and more\n\nPackage: short\nDescription-md5: b2\nDescription-en: short\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readTopics(dir)
	if err != nil {
		t.Fatal(err)
	}
	description := "solitaire " + long + "and more"
	if diff := cmp.Diff([]text{{"aces", description, "games"}, {"kings", description, "games"}}, got, cmp.AllowUnexported(text{})); diff != "" {
		t.Error(diff)
	}
}
