package store

import (
	"runtime/debug"
	"strings"
	"sync"
)

// Code identifies a program's code by the git commit it was built from.
type Code struct {
	Revision string `json:"revision,omitempty"` // 40 hex digits; empty if unknown, as with go run
	Modified bool   `json:"modified,omitempty"` // built with uncommitted changes
}

// linked is the commit that the Makefile passes to the linker, with -dirty appended for uncommitted changes. Go records
// no commit in a working tree made by git worktree, or with -buildvcs=false.
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
	return c
})

// Text returns 12 digits of the revision, such as 87d4582a1b2c or 87d4582a1b2c with uncommitted changes, or unknown. A
// String method would be printed by the structs that embed Code.
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

// Mark returns 12 digits of the revision, with a + appended for uncommitted changes; empty if unknown.
func (c Code) Mark() string {
	if c.Modified {
		return c.short() + "+"
	}
	return c.short()
}
