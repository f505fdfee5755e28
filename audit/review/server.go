package review

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/page"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/report/html"
)

//go:embed static
var static embed.FS

// Listen listens on a port of 127.0.0.1; port 0 is a free one.
func Listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("serve the review: %w", err)
	}
	return l, nil
}

// newSecret returns the part of an address that other users of the machine do not know.
func newSecret() string { return rand.Text()[:16] }

// Address returns the page's address at a listener.
func (s *Session) Address(l net.Listener) string { return "http://" + l.Addr().String() + s.base() }

func (s *Session) base() string { return "/" + s.secret + "/" }

// readTime is how long the body of a decision may take. A limit for each request would also
// end those that wait for images.
var readTime = 20 * time.Second

// Serve serves the page until the context ends, which is no error.
func (s *Session) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the review: %w", err)
	case <-ctx.Done():
	}
	// A decision that is being saved is finished.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close()
	}
	return nil
}

// Handler returns the page and its data, below the secret part of the address.
func (s *Session) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /review.js", file("review.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /list.js", file("list.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /review.css", func(w http.ResponseWriter, r *http.Request) {
		own, _ := static.ReadFile("static/review.css") // embedded
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(append([]byte(html.StyleSheet), own...))
	})
	mux.HandleFunc("GET /api/session", s.getSession)
	mux.HandleFunc("GET /api/example", s.getExample)
	mux.HandleFunc("GET /api/image", s.getImage)
	mux.HandleFunc("GET /api/thumbnail", s.getThumbnail)
	mux.HandleFunc("GET /api/list", s.getList)
	mux.HandleFunc("POST /api/decide", s.postDecide)
	mux.HandleFunc("POST /api/undo", s.postUndo)
	inside := http.StripPrefix("/"+s.secret, mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		switch {
		case !local(r.Host):
			http.Error(w, "this is not the address that losscorr review has printed", http.StatusForbidden)
		case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
			http.Error(w, "changes are made on the page of losscorr review alone", http.StatusForbidden)
		default:
			inside.ServeHTTP(w, r)
		}
	})
}

// local reports whether a request came to this machine by its own name, and not by one
// that another site's name server gave it. The port is that of a tunnel, where there is one.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1", "[::1]"}, name)
}

func file(name, mime string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		data, _ := static.ReadFile("static/" + name) // embedded
		w.Header().Set("Content-Type", mime)
		_, _ = w.Write(data)
	}
}

// reply writes JSON. A reader who has left is no error.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Session) getSession(w http.ResponseWriter, _ *http.Request) {
	kind, err := s.summary.Source.Stored()
	reply(w, map[string]any{
		"source": s.summary.Source.Path, "folder": s.dir, "verdict": page.Verdict(s.summary), "classes": s.classes,
		"images":   err == nil && kind == dataset.Image && s.summary.Source.Path != "",
		"examples": len(s.issues), "progress": s.Progress(), "next": s.Next(-1),
	})
}

func (s *Session) getExample(w http.ResponseWriter, r *http.Request) {
	place, ok := number(w, r, "place", len(s.order))
	if ok {
		reply(w, s.Example(r.Context(), place))
	}
}

// number reads a number in [0, below) from the address.
func number(w http.ResponseWriter, r *http.Request, name string, below int) (int, bool) {
	v, err := strconv.Atoi(r.FormValue(name))
	if err != nil || v < 0 || v >= below {
		http.Error(w, fmt.Sprintf("%s %q, want a number below %d", name, r.FormValue(name), below), http.StatusBadRequest)
		return 0, false
	}
	return v, true
}

// shown are the formats of images that browsers show and that run nothing.
var shown = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func (s *Session) getImage(w http.ResponseWriter, r *http.Request) {
	row, ok := number(w, r, "row", len(s.issues))
	if !ok {
		return
	}
	look, err := s.Image(r.Context(), row)
	if err != nil || !slices.Contains(shown, look.MIME) {
		http.Error(w, "no image", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", look.MIME)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(look.Image)
}

func (s *Session) getThumbnail(w http.ResponseWriter, r *http.Request) {
	row, ok := number(w, r, "row", len(s.issues))
	if !ok {
		return
	}
	picture, mime, err := s.Thumbnail(r.Context(), row)
	if err != nil {
		http.Error(w, "no image", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(picture)
}

// mostLines is the most lines of a list in one answer.
const mostLines = 500

func (s *Session) getList(w http.ResponseWriter, r *http.Request) {
	from, ok := number(w, r, "from", len(s.order)+1)
	if !ok {
		return
	}
	count, ok := number(w, r, "count", mostLines+1)
	if !ok {
		return
	}
	f := Filter{Show: r.FormValue("show"), Class: r.FormValue("class"), Text: r.FormValue("text"), Sort: r.FormValue("sort")}
	if _, ok := sorts[f.Sort]; !ok {
		http.Error(w, fmt.Sprintf("sort %q", f.Sort), http.StatusBadRequest)
		return
	}
	total, lines := s.List(f, from, count)
	reply(w, map[string]any{"total": total, "lines": lines})
}

func (s *Session) postDecide(w http.ResponseWriter, r *http.Request) {
	var d struct {
		Place     int
		ID, Label string
		Action    audit.Action // of a decision without a label; "" is by Label
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime)) // only a test's writer has none
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	if err := body.Decode(&d); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	decide := func() error { return s.Decide(d.Place, d.ID, d.Label) }
	if d.Action != "" {
		decide = func() error { return s.Mark(d.Place, d.ID, d.Action) }
	}
	switch err := decide(); {
	case errors.Is(err, errStale):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		reply(w, map[string]any{"progress": s.Progress(), "next": s.Next(d.Place)})
	}
}

func (s *Session) postUndo(w http.ResponseWriter, _ *http.Request) {
	place, err := s.Undo()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply(w, map[string]any{"progress": s.Progress(), "place": place})
}
