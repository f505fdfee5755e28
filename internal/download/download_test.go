package download

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
)

// contents are two versions of a file.
var contents = [2][]byte{random(1), random(2)}

func random(seed byte) []byte {
	b := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func TestMain(m *testing.M) {
	stall, pause = 400*time.Millisecond, time.Millisecond
	os.Exit(m.Run())
}

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
func whole(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

// cut sends n bytes, without ranges, and ends the connection.
func cut(content []byte, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// stalled sends n bytes and then nothing.
func stalled(content []byte, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
	content := contents[1]
	n := len(content)
	for _, test := range []struct {
		name     string
		steps    []http.HandlerFunc
		requests int
		resumed  string // the last request
	}{
		{"at once", []http.HandlerFunc{whole(content)}, 1, ""},
		{"cut and resumed", []http.HandlerFunc{cut(content, n/3), whole(content)}, 2, "bytes=100000-"},
		{"range ignored", []http.HandlerFunc{cut(content, n/3), chunked(content)}, 2, "bytes=100000-"},
		{"ends early without an error", []http.HandlerFunc{chunked(content[:n/3]), whole(content)}, 2, "bytes=100000-"},
		{"range refused", []http.HandlerFunc{cut(content, n/3), status(416), whole(content)}, 3, ""},
		{"stalls and resumed", []http.HandlerFunc{stalled(content, n/3), whole(content)}, 2, "bytes=100000-"},
		{"500 and 429 pass", []http.HandlerFunc{status(500), status(429), whole(content)}, 3, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, test.steps...)
			path := filepath.Join(t.TempDir(), "cache", "data.tar.gz")
			var done int64
			progress := func(d, total int64) {
				if done = d; total != int64(n) || d > total {
					t.Errorf("progress %d of %d, want at most %d", d, total, n)
				}
			}
			expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, progress))
			expect.Same(t, content, expect.Got(os.ReadFile(path))(t))
			expect.Same(t, int64(n), done)
			got := s.requests()
			expect.Same(t, test.requests, len(got), got)
			expect.Same(t, test.resumed, got[len(got)-1])
			expect.Same(t, []string{path, path + ".lock"}, files.Glob(filepath.Dir(path), "*"))
		})
	}
}

// The error has the server's answer, and how to download by hand. A file with a wrong hash is not kept.
func TestFetchFails(t *testing.T) {
	content := contents[0]
	for _, test := range []struct {
		s    *server
		want string
	}{
		{serve(t, status(404)), "404 Not Found"},
		{serve(t, stalled(content, 0)), "no data arrived for 400ms"},
		{serve(t, whole(content[1:])), "the server's file has 299999 bytes instead of 300000"},
		{serve(t, whole(corrupt(content))), "the file has SHA-256 "},
	} {
		path := filepath.Join(t.TempDir(), "data.tar.gz")
		err := fileOf(content, test.s).Fetch(context.Background(), path, nil)
		address := test.s.URL + "/data.tar.gz"
		expect.Says(t, err, "the download of data.tar.gz failed: "+address+": "+test.want)
		expect.Says(t, err, "or fetch "+address+" by other means and save it as "+path)
		left := files.Glob(filepath.Dir(path), "*")
		if len(left) > 2 || size(path) > 0 || size(path+".part") > 0 {
			t.Errorf("files left %q", left)
		}
	}
}

// The next download resumes from the bytes of a stopped one, even in another
// process.
func TestFetchStoppedAndResumed(t *testing.T) {
	content := contents[0]
	s := serve(t, stalled(content, 200_000), whole(content))
	path := filepath.Join(t.TempDir(), "data.tar.gz")
	ctx, stop := context.WithCancel(context.Background())
	err := fileOf(content, s).Fetch(ctx, path, func(done, _ int64) {
		if done == 200_000 {
			stop()
		}
	})
	want := "the download of data.tar.gz was stopped (200000 of 300000 bytes are kept in " + path +
		".part; the next run resumes from there): "
	expect.Is(t, err, context.Canceled)
	expect.Says(t, err, want)
	expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, nil))
	expect.Same(t, []string{"", "bytes=200000-"}, s.requests())
	expect.Same(t, content, expect.Got(os.ReadFile(path))(t))
}

// The part file may have any content: the next call begins again after one that leads to a wrong hash.
func TestFetchOverDebris(t *testing.T) {
	content := contents[0]
	for _, debris := range [][]byte{append(bytes.Clone(content), content...), contents[1], contents[1][:1000], content} {
		s := serve(t, whole(content))
		path := filepath.Join(t.TempDir(), "data.tar.gz")
		expect.OK(t, os.WriteFile(path+".part", debris, 0o644))
		if err := fileOf(content, s).Fetch(context.Background(), path, nil); err != nil {
			expect.Says(t, err, "SHA-256")
			expect.OK(t, fileOf(content, s).Fetch(context.Background(), path, nil))
		}
		expect.Same(t, content, expect.Got(os.ReadFile(path))(t))
	}
}

// If several download at the same time, one fetches and the others find the file.
func TestFetchTogether(t *testing.T) {
	content := contents[0]
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond) // meanwhile the others start
		whole(content)(w, r)
	})
	path := filepath.Join(t.TempDir(), "data.tar.gz")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			expect.Fails(t, fileOf(content, s).Fetch(context.Background(), path, nil), "")
		})
	}
	all.Wait()
	expect.Same(t, 1, len(s.requests()))
}
