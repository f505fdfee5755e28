package review

import (
	"cmp"
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/report/html"
)

//go:embed static
var static embed.FS

// Listen listens on an address of this machine, "" for 127.0.0.1, which only this machine can reach. Port 0 is
// a free one.
func Listen(address string, port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(address, "127.0.0.1"), strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("serve the review: %w", err)
	}
	return l, nil
}

// Address returns the page's address at a listener. If that listens on all addresses, it is one that others
// can reach.
func (s *Session) Address(l net.Listener) string {
	host, port, _ := net.SplitHostPort(l.Addr().String()) // an address of a listener has a port
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = reachable()
	}
	return "http://" + net.JoinHostPort(host, port) + s.base()
}

// reachable returns an address of this machine that others can reach, or its name.
func reachable() string {
	addresses, _ := net.InterfaceAddrs() // on failure the name is used
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	name, err := os.Hostname()
	if err != nil {
		return "127.0.0.1"
	}
	return name
}

func (s *Session) base() string { return "/" + s.secret + "/" }

// Serve serves the page until the context ends, and then returns nil.
func (s *Session) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute,
		MaxHeaderBytes: 16 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the review: %w", err)
	case <-ctx.Done():
	}
	// Finish saving a decision.
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
	for _, name := range []string{"review.js", "list.js", "grid.js", "people.js"} {
		mux.HandleFunc("GET /"+name, file(name, "text/javascript; charset=utf-8"))
	}
	mux.HandleFunc("GET /review.css", file("review.css", "text/css; charset=utf-8", []byte(html.StyleSheet)...))
	mux.HandleFunc("GET /api/session", s.getSession)
	mux.HandleFunc("GET /api/example", s.of(getExample))
	mux.HandleFunc("GET /api/image", s.picture(s.image))
	mux.HandleFunc("GET /api/thumbnail", s.picture(s.Thumbnail))
	mux.HandleFunc("GET /api/list", s.of(getList))
	mux.HandleFunc("POST /api/decide", s.of(postDecide))
	mux.HandleFunc("POST /api/decide-many", s.of(postMany))
	mux.HandleFunc("POST /api/undo", s.of(postUndo))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
			"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.ownHost(r.Host):
			http.Error(w, "wrong address: use the one that losscorr review has printed", http.StatusForbidden)
		case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
			http.Error(w, "changes can only be made on the page of losscorr review", http.StatusForbidden)
		case !s.secretIn(r.URL.Path):
			http.NotFound(w, r)
		default:
			http.StripPrefix("/"+s.secret, mux).ServeHTTP(w, r)
		}
	})
}

// secretIn reports whether a path begins with the secret, in constant time so that nobody can guess it piece
// by piece.
func (s *Session) secretIn(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return subtle.ConstantTimeCompare([]byte(first), []byte(s.secret)) == 1
}

// ownHost reports whether host is a name of this machine, not one that another site's name server points at
// it. The port may be a tunnel's. If others may connect, numeric addresses are allowed as well, since they
// need no name server.
func (s *Session) ownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if slices.Contains([]string{"127.0.0.1", "localhost", "::1", "[::1]"}, name) {
		return true
	}
	number := net.ParseIP(strings.Trim(name, "[]")) != nil
	return len(s.hosts) > 0 && (number || slices.ContainsFunc(s.hosts, func(h string) bool {
		return strings.EqualFold(h, name)
	}))
}

func file(name, mime string, before ...byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		data, _ := static.ReadFile("static/" + name) // embedded
		w.Header().Set("Content-Type", mime)
		_, _ = w.Write(slices.Concat(before, data))
	}
}

// reply writes JSON. It ignores errors, since the browser may have closed the connection.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// nameHeader is the header with the reviewer's name, escaped as in an address.
const nameHeader = "Losscorr-Reviewer"

// of returns a handler that replies with what handle returns for the reviewer named in the request.
func (s *Session) of(handle func(me *Reviewer, w http.ResponseWriter, r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, err := url.QueryUnescape(r.Header.Get(nameHeader))
		me, failed := s.Reviewer(name)
		if err = errors.Join(err, failed); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := handle(me, w, r)
		switch {
		case errors.Is(err, errStale), errors.Is(err, errAgreed):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			reply(w, answer)
		}
	}
}

// getSession sends a page what it needs to start, or to ask for a name.
func (s *Session) getSession(w http.ResponseWriter, r *http.Request) {
	name, err := url.QueryUnescape(r.Header.Get(nameHeader))
	if s.ask && (err != nil || Name(name) == "") {
		reply(w, map[string]any{"ask": true, "reviewers": s.names()})
		return
	}
	s.of(func(me *Reviewer, _ http.ResponseWriter, _ *http.Request) (any, error) {
		kind, err := s.summary.Source.Stored()
		unusual := func(i audit.Issue) bool { return i.Unusual != nil }
		return map[string]any{
			"source": s.summary.Source.Path, "folder": s.folder.Dir(), "verdict": s.summary.Verdict, "classes": s.classes,
			"images":   err == nil && kind == dataset.Image && s.summary.Source.Path != "",
			"examples": len(s.issues), "progress": me.Progress(), "next": me.Next(-1), "reviewer": me.name, "several": s.ask,
			"searchable": s.searchable(), "blind": s.blind,
			"unusual": !s.blind && slices.ContainsFunc(s.issues, unusual),
		}, nil
	})(w, r)
}

func getExample(me *Reviewer, _ http.ResponseWriter, r *http.Request) (any, error) {
	place, err := number(r, "place", len(me.order))
	if err != nil {
		return nil, err
	}
	return me.Example(r.Context(), place), nil
}

// number reads a number in [0, below) from the address.
func number(r *http.Request, name string, below int) (int, error) {
	v, err := strconv.Atoi(r.FormValue(name))
	if err != nil || v < 0 || v >= below {
		return 0, fmt.Errorf("%s %q, want a number below %d", name, r.FormValue(name), below)
	}
	return v, nil
}

// shown are the image formats that browsers can show and that cannot run scripts.
var shown = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// image returns the image of a row and its format.
func (s *Session) image(ctx context.Context, row int) (image []byte, mime string, err error) {
	looks, err := s.looks.get(ctx, []int{row}, func(int) []int { return nil })
	return looks[row].Image, looks[row].MIME, err
}

// picture returns a handler that sends the image of a row.
func (s *Session) picture(of func(context.Context, int) ([]byte, string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		row, err := number(r, "row", len(s.issues))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		image, mime, err := of(r.Context(), row)
		if err != nil || !slices.Contains(shown, mime) {
			http.Error(w, "no image", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", mime)
		w.Header().Set("Cache-Control", "private, max-age=3600")
		_, _ = w.Write(image)
	}
}

// mostLines is the largest number of lines in one answer.
const mostLines = 500

func getList(me *Reviewer, _ http.ResponseWriter, r *http.Request) (any, error) {
	from, err := number(r, "from", len(me.order)+1)
	if err != nil {
		return nil, err
	}
	count, err := number(r, "count", mostLines+1)
	if err != nil {
		return nil, err
	}
	f := Filter{
		Show: r.FormValue("show"), Text: r.FormValue("text"), Sort: r.FormValue("sort"),
		Given: r.FormValue("given"), Suggested: r.FormValue("suggested"), Unusual: r.FormValue("unusual") != "",
	}
	if f.Low, err = percent(r, "low"); err != nil {
		return nil, err
	}
	if f.High, err = percent(r, "high"); err != nil {
		return nil, err
	}
	if _, ok := sorts[f.Sort]; !ok {
		return nil, fmt.Errorf("sort %q", f.Sort)
	}
	total, lines, err := me.List(r.Context(), f, from, count)
	if err == nil && r.FormValue("texts") != "" {
		me.AddTexts(r.Context(), lines)
	}
	return map[string]any{"total": total, "lines": lines}, err
}

// percent reads a percentage from the address as a share; "" is 0.
func percent(r *http.Request, name string) (float64, error) {
	text := cmp.Or(r.FormValue(name), "0")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, fmt.Errorf("%s %q, want a percentage from 0 to 100", name, text)
	}
	return v / 100, nil
}

// mostMany is the largest body of a decision about many examples, mostOne about one.
const (
	mostMany = 1 << 20
	mostOne  = 64 << 10
)

// receiveBody reads a request's body with its own time limit, since a limit for all requests would also end
// those that wait for images.
func (s *Session) receiveBody(w http.ResponseWriter, r *http.Request, most int64, into any) error {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.readTime)) // fails only with a test's writer
	return json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(into)
}

func postDecide(me *Reviewer, w http.ResponseWriter, r *http.Request) (any, error) {
	var d struct {
		Choice
		Settles bool
	}
	if err := me.receiveBody(w, r, mostOne, &d); err != nil {
		return nil, err
	}
	if err := me.save(d.Settles, []Choice{d.Choice}); err != nil {
		return nil, err
	}
	next := -1
	if d.Settles {
		next = me.nextDisputed(d.Place)
	}
	if next < 0 {
		next = me.Next(d.Place)
	}
	return map[string]any{"progress": me.Progress(), "next": next}, nil
}

// postMany saves decisions about many examples, all or none.
func postMany(me *Reviewer, w http.ResponseWriter, r *http.Request) (any, error) {
	var d struct{ Choices []Choice }
	if err := me.receiveBody(w, r, mostMany, &d); err != nil {
		return nil, err
	}
	if n := len(d.Choices); n < 1 || n > mostLines {
		return nil, fmt.Errorf("%d decisions in one request, want 1 to %d", n, mostLines)
	}
	if err := me.Decide(d.Choices...); err != nil {
		return nil, err
	}
	return map[string]any{"progress": me.Progress(), "next": me.Next(-1)}, nil
}

func postUndo(me *Reviewer, _ http.ResponseWriter, _ *http.Request) (any, error) {
	place, err := me.Undo()
	return map[string]any{"progress": me.Progress(), "place": place}, err
}
