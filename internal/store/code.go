package store

import (
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/files"
)

// Code identifies the code of a program by the git commit that was built.
type Code struct {
	Revision string `json:"revision,omitempty"` // 40 hex digits; empty where it is not known, as for go run
	Modified bool   `json:"modified,omitempty"` // there were changes that are in no commit
	// of modified code, the SHA-256 of the program in 12 hex digits; empty where it is not known
	Build string `json:"build,omitempty"`
}

// linked is the commit that the Makefile passes to the linker, with -dirty after it where
// there were changes: Go notes none in a working tree made by git worktree, nor where git
// is told to leave the folder alone.
var linked string

// ThisCode returns the code of this program.
var ThisCode = sync.OnceValue(func() Code {
	var c Code
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				c.Revision = s.Value
			case "vcs.modified":
				c.Modified = s.Value == "true"
			}
		}
	}
	if c.Revision == "" {
		c.Revision, c.Modified = strings.CutSuffix(linked, "-dirty")
	}
	if c.Modified {
		if self, err := os.Executable(); err == nil {
			sum, _ := files.SHA256(self) // "" where it cannot be read
			c.Build = sum[:min(12, len(sum))]
		}
	}
	return c
})

// Same reports whether two programs are known to have the same code. Changes that are in
// no commit may be any, unless it is the same program.
func (c Code) Same(d Code) bool { return c == d && c.Revision != "" && (!c.Modified || c.Build != "") }

// Text returns the revision in 12 digits: 87d4582a1b2c, 87d4582a1b2c with uncommitted
// changes, or unknown. It is no String, which the structs that embed Code would print.
func (c Code) Text() string {
	switch {
	case c.Revision == "":
		return "unknown"
	case c.Modified:
		return c.short() + " with uncommitted changes"
	}
	return c.short()
}

func (c Code) short() string { return c.Revision[:min(12, len(c.Revision))] }

// Mark returns the revision in 12 digits in one word, with a + after it where there were
// uncommitted changes; empty where it is not known.
func (c Code) Mark() string {
	if c.Modified {
		return c.short() + "+"
	}
	return c.short()
}
