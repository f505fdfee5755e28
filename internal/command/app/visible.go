package app

import (
	"io"

	"github.com/losscorr/losscorr/internal/humanize"
)

// visible writes text for people and makes control characters visible, since the text may
// hold names from archives or messages from status files; see humanize.Visible. JSON keeps
// its meaning.
type visible struct{ w io.Writer }

// Write writes b; each call has whole characters.
func (v visible) Write(b []byte) (int, error) {
	if _, err := io.WriteString(v.w, humanize.VisibleLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Raw returns the writer behind one that makes text visible, for data that programs read and
// displays that move the cursor.
func Raw(w io.Writer) io.Writer {
	if v, ok := w.(visible); ok {
		return v.w
	}
	return w
}
