package published

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/download"
	"github.com/losscorr/losscorr/internal/expect"
)

// publish lets the data set imdb come from a server of the test, and returns its
// archive.
func publish(t *testing.T, serve http.HandlerFunc) (archive []byte, address string) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	archive = datasettest.TarGz(t, reviews())
	sum := sha256.Sum256(archive)
	at := slices.Index(All.Names(), "imdb")
	official := All[at]
	t.Cleanup(func() { All[at] = official })
	here := official
	address = server.URL + "/aclImdb_v1.tar.gz"
	here.remote = download.File{Address: address, Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:])}
	All[at] = here
	return archive, address
}

// A download is found the next time. A damaged archive is not fetched again while it is there, as the error
// says, and is once it is deleted.
func TestOpenDownloads(t *testing.T) {
	_, cache := datasettest.Isolate(t)
	t.Setenv("LOSSCORR_OFFLINE", "")
	var archive []byte
	requests := 0
	archive, _ = publish(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write(archive)
	})
	var said []string
	last := 0
	opt := dataset.Options{Progress: func(what string, done, total int) {
		if len(said) == 0 || said[len(said)-1] != what {
			said = append(said, what)
		}
		last = done
		expect.Same(t, len(archive), total)
	}}
	path := filepath.Join(cache, "imdb", "aclImdb_v1.tar.gz")
	for range 2 { // the second time it is there
		d := expect.Got(Open("imdb", opt))(t)
		expect.Same(t, path, d.Files[0].Path)
		expect.Same(t, 2, d.Train.Len())
	}
	expect.Same(t, 1, requests)
	expect.Same(t, []string{"downloading aclImdb_v1.tar.gz (bytes)"}, said)
	expect.Same(t, len(archive), last)
	expect.OK(t, os.Truncate(path, int64(len(archive)/2)))
	expect.Says(t, expect.Err(Open("imdb", dataset.Options{})), path, "truncated: replace the file with an intact copy",
		"once it is deleted, the next run downloads")
	expect.OK(t, os.Remove(path))
	expect.OK(t, expect.Err(Open("imdb", dataset.Options{})))
	expect.Same(t, 2, requests)
}

func TestOpenOffline(t *testing.T) {
	datasettest.Isolate(t)
	_, address := publish(t, func(http.ResponseWriter, *http.Request) { t.Error("a request while offline") })
	for _, test := range []struct {
		env string
		opt dataset.Options
	}{{"1", dataset.Options{}}, {"true", dataset.Options{}}, {"yes", dataset.Options{}},
		{"", dataset.Options{Offline: true}}, {"0", dataset.Options{Offline: true}}} {
		t.Setenv("LOSSCORR_OFFLINE", test.env)
		_, err := Open("imdb", test.opt)
		expect.Is(t, err, ErrNotFound)
		expect.Says(t, err, "and downloads are switched off: get aclImdb_v1.tar.gz from https://ai.stanford.edu/")
		if strings.Contains(err.Error(), address) {
			t.Errorf("error %v", err)
		}
	}
}

func TestOpenDownloadFails(t *testing.T) {
	_, cache := datasettest.Isolate(t)
	t.Setenv("LOSSCORR_OFFLINE", "0")
	_, address := publish(t, http.NotFound)
	_, err := Open("imdb", dataset.Options{})
	expect.Is(t, err, ErrNotFound)
	path := filepath.Join(cache, "imdb", "aclImdb_v1.tar.gz")
	expect.Says(t, err, "dataset: imdb not found", "looked in data (working folder)", address+": 404 Not Found",
		"or fetch "+address+" by other means and save it as "+path)
}

// Ctrl-C is not a set that cannot be had.
func TestOpenStopped(t *testing.T) {
	datasettest.Isolate(t)
	t.Setenv("LOSSCORR_OFFLINE", "")
	var archive []byte
	archive, _ = publish(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(archive[:10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(context.Background())
	_, err := OpenContext(ctx, "imdb", dataset.Options{Progress: func(_ string, done, _ int) {
		if done == 10 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	expect.Says(t, err, "dataset: imdb: the download of aclImdb_v1.tar.gz was stopped (10 of ",
		"the next run resumes from there")
}
