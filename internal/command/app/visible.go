package app

import (
	"io"

	"github.com/losscorr/losscorr/internal/humanize"
)

// visible writes text for people, which may hold names from archives, messages from
// status files and the like: control characters become visible; see humanize.Visible.
// JSON reads them as what they were.
type visible struct{ w io.Writer }

// Write writes b; each call has whole characters.
func (v visible) Write(b []byte) (int, error) {
	if _, err := io.WriteString(v.w, humanize.VisibleLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Raw returns the writer behind one that makes text visible: for data that programs read,
// and for displays that move the cursor.
func Raw(w io.Writer) io.Writer {
	if v, ok := w.(visible); ok {
		return v.w
	}
	return w
}
