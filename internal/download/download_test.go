package download

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
)

// contents are two versions of a file.
var contents = [2][]byte{random(1), random(2)}

func random(seed byte) []byte {
	b := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// quick retries without a pause; hasty also has a short Stall, for servers that stall.
var (
	quick = Options{Attempts: 3, Pause: time.Millisecond}
	hasty = Options{Attempts: 3, Pause: time.Millisecond, Stall: 400 * time.Millisecond}
)

// server answers each request by the next of its steps, and repeats the last step at
// the end.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	steps  []http.HandlerFunc
	ranges []string // of the requests
}

func serve(t *testing.T, steps ...http.HandlerFunc) *server {
	s := &server{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		step := s.steps[min(len(s.ranges), len(s.steps)-1)]
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		step(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges
}

// whole serves content correctly.
func whole(content []byte, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

// cut serves like whole, but ends the connection after n bytes.
func cut(content []byte, tag string, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		whole(content, tag)(&limited{w, n}, r)
	}
}

type limited struct {
	http.ResponseWriter
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	_, _ = l.ResponseWriter.Write(b[:n])
	l.left -= n
	if l.left == 0 {
		l.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// stall sends n bytes and then nothing.
func stall(content []byte, tag string, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:n])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// chunked sends all bytes without their number, ignoring ranges.
func chunked(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = w.Write(content)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
}

func corrupt(content []byte) []byte {
	content = bytes.Clone(content)
	content[len(content)/2] ^= 1
	return content
}

func fileOf(content []byte, s *server) File {
	sum := sha256.Sum256(content)
	return File{Address: s.URL + "/data.tar.gz", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

func TestFetch(t *testing.T) {
	old, content := contents[0], contents[1]
	n := len(content)
	for _, test := range []struct {
		name     string
		steps    []http.HandlerFunc
		requests int
		resumed  string // the last request
	}{
		{"at once", []http.HandlerFunc{whole(content, `"1"`)}, 1, ""},
		{"cut and resumed", []http.HandlerFunc{cut(content, `"1"`, n/3), whole(content, `"1"`)}, 2, "bytes=100000-"},
		{"cut without a tag", []http.HandlerFunc{cut(content, "", n/3), whole(content, "")}, 2, "bytes=100000-"},
		{"cut often, always further", []http.HandlerFunc{
			cut(content, "", n/9), cut(content, "", n/9), cut(content, "", n/9), cut(content, "", n/9), cut(content, "", n/9),
			cut(content, "", n/9), whole(content, ""),
		}, 7, fmt.Sprintf("bytes=%d-", 6*(n/9))},
		{"changed meanwhile", []http.HandlerFunc{cut(old, `"1"`, n/3), whole(content, `"2"`)}, 3, ""},
		{"range ignored", []http.HandlerFunc{cut(content, "", n/3), chunked(content)}, 2, "bytes=100000-"},
		{"ends early and says nothing", []http.HandlerFunc{chunked(content[:n/3]), whole(content, "")}, 2, "bytes=100000-"},
		{"range refused", []http.HandlerFunc{cut(content, "", n/3), status(416), whole(content, "")}, 3, ""},
		{"stalls and resumed", []http.HandlerFunc{stall(content, `"1"`, n/3), whole(content, `"1"`)}, 2, "bytes=100000-"},
		{"corrupt once", []http.HandlerFunc{whole(corrupt(content), ""), whole(content, "")}, 2, ""},
		{"500 and 429 pass", []http.HandlerFunc{status(500), status(429), whole(content, "")}, 3, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, test.steps...)
			path := filepath.Join(t.TempDir(), "cache", "data.tar.gz")
			opt := quick
			if strings.HasPrefix(test.name, "stalls") {
				opt = hasty
			}
			var done int64
			opt.Progress = func(d, total int64) {
				if done = d; total != int64(n) || d > total {
					t.Errorf("progress %d of %d, want at most %d", d, total, n)
				}
			}
			expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, opt))
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v: not the file", len(got), err)
			}
			expect.Same(t, int64(n), done)
			if got := s.requests(); len(got) != test.requests || got[len(got)-1] != test.resumed {
				t.Errorf("requests %q, want %d, the last for %q", got, test.requests, test.resumed)
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
			if err != nil || len(left) != 2 { // the file and the lock
				t.Errorf("files left %q, %v", left, err)
			}
		})
	}
}

// The error has the server's answer, the number of attempts, and how to download by hand.
func TestFetchFails(t *testing.T) {
	content := contents[0]
	none := &server{Server: httptest.NewUnstartedServer(nil)}
	none.URL = "http://127.0.0.1:1" // nothing listens
	for _, test := range []struct {
		s        *server
		want     string
		requests int
	}{
		{serve(t, status(404)), "404 Not Found", 1},
		{serve(t, status(500)), "500 Internal Server Error, 3 times in a row", 3},
		{serve(t, stall(content, "", 0)), "no data arrived for 400ms, 3 times in a row", 3},
		{serve(t, whole(content[1:], "")), "the server's file has 299999 bytes instead of 300000", 1},
		{serve(t, whole([]byte("<html>log in"), "")), "the server's file has 12 bytes instead of 300000", 1},
		{serve(t, chunked(append(bytes.Clone(content), 1))), "the server sent more than the published 300000 bytes", 1},
		{serve(t, whole(corrupt(content), "")), "the file has SHA-256 ", 2},
		{none, "dial tcp 127.0.0.1:1: ", 0},
	} {
		path := filepath.Join(t.TempDir(), "data.tar.gz")
		err := fileOf(content, test.s).Fetch(context.Background(), path, hasty)
		address := test.s.URL + "/data.tar.gz"
		for _, want := range []string{"the download of data.tar.gz failed: " + address + ": " + test.want, "or fetch " +
			address + " by other means and save it as " + path} {
			expect.Says(t, err, want)
		}
		expect.Same(t, test.requests, len(test.s.requests()))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file is there: %v", err)
		}
	}
}

// The next download resumes from the bytes of a stopped one, even in another
// process.
func TestFetchStoppedAndResumed(t *testing.T) {
	content := contents[0]
	s := serve(t, stall(content, `"1"`, 200_000), whole(content, `"1"`))
	path := filepath.Join(t.TempDir(), "data.tar.gz")
	ctx, stop := context.WithCancel(context.Background())
	opt := Options{Progress: func(done, _ int64) {
		if done == 200_000 {
			stop()
		}
	}}
	err := fileOf(content, s).Fetch(ctx, path, opt)
	want := "the download of data.tar.gz was stopped (200000 of 300000 bytes are kept in " + path +
		".part; the next run resumes from there): "
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v, want %q", err, want)
	}
	expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, quick))
	if got := s.requests(); len(got) != 2 || got[1] != "bytes=200000-" {
		t.Errorf("requests %q", got)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v: not the file", len(got), err)
	}
}

// The part file may have any content.
func TestFetchOverDebris(t *testing.T) {
	content := contents[0]
	for name, debris := range map[string][]byte{
		"too long":     append(bytes.Clone(content), content...),
		"of the size":  contents[1],
		"of something": contents[1][:1000],
		"all of it":    content,
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, whole(content, `"1"`))
			path := filepath.Join(t.TempDir(), "data.tar.gz")
			expect.OK(t, os.WriteFile(path+".part", debris, 0o644))
			expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, quick))
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v: not the file", len(got), err)
			}
		})
	}
}

// If several download at the same time, one fetches and the others find the file.
func TestFetchTogether(t *testing.T) {
	content := contents[0]
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond) // meanwhile the others start
		whole(content, "")(w, r)
	})
	path := filepath.Join(t.TempDir(), "data.tar.gz")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := fileOf(content, s).Fetch(context.Background(), path, quick); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := s.requests(); len(got) != 1 {
		t.Errorf("requests %q, want one", got)
	}
}

// Waiting for another process's download can be stopped.
func TestFetchStoppedWhileWaiting(t *testing.T) {
	content := contents[0]
	s := serve(t, stall(content, "", 10))
	path := filepath.Join(t.TempDir(), "data.tar.gz")
	first, stopFirst := context.WithCancel(context.Background())
	defer stopFirst()
	begun, ended := make(chan bool), make(chan error)
	go func() {
		once := sync.OnceFunc(func() { close(begun) })
		ended <- fileOf(content, s).Fetch(first, path, Options{Progress: func(int64, int64) { once() }})
	}()
	<-begun
	ctx, stop := context.WithCancel(context.Background())
	err := fileOf(content, s).Fetch(ctx, path, Options{Progress: func(int64, int64) { stop() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	stopFirst()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// Local errors are not retried.
func TestFetchNowhereToWrite(t *testing.T) {
	content := contents[0]
	s := serve(t, whole(content, ""))
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(dir, "cache"), nil, 0o644))
	err := fileOf(content, s).Fetch(context.Background(), filepath.Join(dir, "cache", "data.tar.gz"), quick)
	expect.Says(t, err, filepath.Join(dir, "cache"))
	path := filepath.Join(dir, "data.tar.gz")
	expect.OK(t, os.MkdirAll(filepath.Join(path+".part", "full"), 0o755))
	err = fileOf(content, s).Fetch(context.Background(), path, quick)
	if err == nil || !strings.Contains(err.Error(), path+".part") || len(s.requests()) > 1 {
		t.Errorf("error %v after %d requests, want one that names the part after one", err, len(s.requests()))
	}
}
