package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every link of README, CONTRIBUTING and the guides to a file of the repository, and to a
// heading of one, leads somewhere; so does every results/*.csv that they name.
func TestLinksOfTheGuides(t *testing.T) {
	guides, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]*)\)`)
	figures := regexp.MustCompile(`\bresults/[\w./-]+\.csv\b`)
	checked := 0
	pages, err := filepath.Glob(filepath.Join("..", "..", "results", "*", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	guides = append(guides, pages...)
	for _, guide := range append(guides, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CONTRIBUTING.md")) {
		text := string(read(t, guide))
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			file, heading, _ := strings.Cut(m[1], "#")
			target := guide
			if file != "" {
				target = filepath.Join(filepath.Dir(guide), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", guide, m[1], err)
			} else if heading != "" && !hasHeading(string(read(t, target)), heading) {
				t.Errorf("%s links to %s, which has no such heading", guide, m[1])
			}
		}
		for _, name := range figures.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name))); err != nil {
				t.Errorf("%s names %s: %v", guide, name, err)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links checked", checked)
	}
}

// hasHeading reports whether a text has the heading of an anchor, as GitHub writes anchors.
func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if title, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); found && strings.HasPrefix(line, "#") {
			title = regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			if strings.ReplaceAll(title, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}
