package command

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/report"
)

const (
	// rescan is how long what was read of the folders serves several requests.
	rescan = time.Second
	// renderShare bounds the time spent on writing the report anew while runs end
	// one after the other: a tenth of it.
	renderShare = 10
)

// liveReport answers three addresses: / is the page, /live the runs under way,
// /report the report of those that have ended. It reads no path of a request.
type liveReport struct {
	options report.PageOptions
	now     func() time.Time

	mu       sync.Mutex
	dirs     []string
	scanner  report.Scanner
	study    *report.Study
	scanned  time.Time
	written  []byte // the report as of revision
	revision string
	rendered time.Time
	took     time.Duration
}

func newLiveReport(dirs []string) http.Handler {
	l := &liveReport{dirs: dirs, now: time.Now, options: report.PageOptions{Program: "losscorr " + losscorr.Version, Command: pageCommand(dirs)}}
	mux := http.NewServeMux()
	mux.Handle("/{$}", l.answer(func(w io.Writer) error {
		body, err := l.body()
		if err != nil {
			return err
		}
		return report.WriteLivePage(w, l.study, l.now(), body)
	}))
	mux.Handle("/live", l.answer(func(w io.Writer) error { return report.WriteLive(w, l.study, l.now()) }))
	mux.Handle("/report", l.answer(func(w io.Writer) error {
		body, err := l.body()
		if err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	}))
	return mux
}

// answer reads what has changed and sends what write makes of it.
func (l *liveReport) answer(write func(io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		l.mu.Lock()
		l.scan()
		err := write(&b)
		l.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
		if r.Method != http.MethodHead {
			_, _ = b.WriteTo(w) // whoever has gone away misses nothing
		}
	})
}

func (l *liveReport) scan() {
	if l.study != nil && l.now().Sub(l.scanned) < rescan {
		return
	}
	// A run that is being written may be unreadable for a moment: it comes with
	// the next scan.
	l.study, _ = l.scanner.Scan(l.dirs...)
	l.scanned = l.now()
}

// body is the report, written anew only if a run has ended since.
func (l *liveReport) body() ([]byte, error) {
	revision := l.study.Revision()
	if l.written == nil || revision != l.revision && l.now().Sub(l.rendered) > renderShare*l.took {
		begun := l.now()
		var b bytes.Buffer
		if err := report.WriteLiveReport(&b, l.study, l.options); err != nil {
			return nil, err
		}
		l.rendered = l.now()
		l.written, l.revision, l.took = b.Bytes(), revision, l.rendered.Sub(begun)
	}
	return l.written, nil
}
