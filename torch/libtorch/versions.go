package libtorch

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed versions.txt
var versionsText string

//go:embed hashes.txt
var hashesText string

// hashes holds the SHA-256 of wheels by their pip requirements.
var hashes = parseHashes(hashesText)

func parseHashes(text string) map[string]string {
	out := map[string]string{}
	for _, f := range entries(text) {
		out[f[0]] = f[1]
	}
	return out
}

// entries returns the words of each line that has two or more, without comments.
func entries(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) >= 2 {
			all = append(all, f)
		}
	}
	return all
}

// Pin is a libtorch release that can be fetched by name, with the packages that it needs on Linux x86-64.
type Pin struct {
	Name     string   // oldest, default or newest
	Version  string   // for instance 2.11.0
	Packages []string // pip requirements, for instance nvidia-cuda-runtime==13.0.96
}

var pins = parsePins(versionsText)

// Oldest returns the oldest libtorch release that is supported.
func Oldest() string { return pins[0].Version }

// Default returns the libtorch release that is fetched when none is found.
func Default() string {
	pin, err := FindPin("default")
	if err != nil {
		panic(err) // versions.txt is part of the program
	}
	return pin.Version
}

// FindPin returns the pinned release with the name (oldest, default, newest) or version.
func FindPin(nameOrVersion string) (Pin, error) {
	var known []string
	for _, p := range pins {
		if p.Name == nameOrVersion || p.Version == nameOrVersion {
			return p, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", p.Version, p.Name))
	}
	return Pin{}, fmt.Errorf("libtorch %s is not pinned: use one of %s", nameOrVersion, strings.Join(known, ", "))
}

func parsePins(text string) (out []Pin) {
	for _, f := range entries(text) {
		out = append(out, Pin{Name: f[0], Version: f[1], Packages: f[2:]})
	}
	return out
}

// supported reports whether a version such as 2.11.0+cu130 is in range.
func supported(version string) bool {
	return !older(version, Oldest())
}

// older reports whether release a precedes release b; suffixes (+cu130, a0+git) do not count.
func older(a, b string) bool {
	return slices.Compare(release(a), release(b)) < 0
}

var numbers = regexp.MustCompile(`^\d+\.\d+(\.\d+)*`)

// release returns the leading numbers of a version, without zeros at the end: 2.11.0+cu130 is 2, 11. It is empty
// unless there are two.
func release(version string) (out []int) {
	for part := range strings.SplitSeq(numbers.FindString(version), ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}
