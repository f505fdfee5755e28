// Package download fetches published files: it resumes earlier attempts, checks size and
// hash, and writes either the complete file or none.
//
//	file := download.File{
//		Address: "https://example.org/data.tar.gz",
//		Size:    170052171,
//		SHA256:  "c4a38c50...",
//	}
//	err := file.Fetch(ctx, "/home/me/.cache/data.tar.gz", nil)
//
// While the file is incomplete, its bytes so far (.part) and a lock (.lock) are beside its path, so that one process
// fetches and others wait for it.
package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// File is a published file.
type File struct {
	Address string
	Size    int64  // bytes
	SHA256  string // hexadecimal
}

const attempts = 3 // in a row without a further byte

// Tests change these: the time without a byte after which an attempt ends, and the time before the next one.
var stall, pause = 30 * time.Second, 2 * time.Second

// Fetch downloads the file to path, unless a file exists there, and resumes from the bytes so far. It calls progress,
// unless it is nil, with the number of bytes. An attempt that ends early is repeated. The error names the address and
// path. If ctx ends, it wraps ctx's, and the next call resumes.
func (f File) Fetch(ctx context.Context, path string, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	part := path + ".part"
	err := f.fetch(ctx, path, part, progress)
	if err == nil {
		return nil
	}
	kept := ""
	if have := size(part); have > 0 {
		kept = fmt.Sprintf(" (%d of %d bytes are kept in %s; the next run resumes from there)", have, f.Size, part)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the download of %s was stopped%s: %w", filepath.Base(path), kept, context.Cause(ctx))
	}
	return fmt.Errorf("the download of %s failed%s: %w; or fetch %s by other means and save it as %s",
		filepath.Base(path), kept, err, f.Address, path)
}

func (f File) fetch(ctx context.Context, path, part string, progress func(done, total int64)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	lock, err := files.Lock(ctx, path+".lock", func() { progress(size(part), f.Size) }) // another process's progress
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	for failed := 0; size(part) != f.Size; {
		before := size(part)
		err := f.attempt(ctx, part, progress)
		if size(part) > before {
			failed = 0
		}
		if err == nil {
			continue
		}
		if failed++; failed == attempts || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", f.Address, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	progress(f.Size, f.Size)
	sum, err := files.SHA256(part)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return errors.Join(fmt.Errorf("%s: the file has SHA-256 %s instead of the published %s", f.Address, sum, f.SHA256),
			os.Remove(part))
	}
	return os.Rename(part, path)
}

// size returns the size of a file, or 0 if it does not exist.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt requests the missing bytes once and adds them to the part.
func (f File) attempt(ctx context.Context, part string, progress func(done, total int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(stall, func() { cancel(fmt.Errorf("no data arrived for %v", stall)) })
	defer watchdog.Stop()
	have := size(part)
	if have > f.Size { // not written by us
		have = 0
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Address, nil)
	if err != nil {
		return err
	}
	// Some servers declare a .gz file as encoded, and the HTTP client would unpack it.
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("User-Agent", userAgent)
	if have > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		var asked *url.Error
		if errors.As(err, &asked) {
			err = asked.Err // the caller adds the address
		}
		return errors.Join(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	resumed := response.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have))
	switch {
	case response.StatusCode == http.StatusOK: // the whole file
		have = 0
	case !resumed && have > 0: // begin again
		return errors.Join(errors.New(response.Status), os.Remove(part))
	case !resumed:
		return errors.New(response.Status)
	}
	if n := response.ContentLength; n >= 0 && have+n != f.Size {
		return fmt.Errorf("the server's file has %d bytes instead of %d", have+n, f.Size)
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(have); err != nil {
		return err
	}
	out := &counter{io.NewOffsetWriter(file, have), func(n int) {
		have += int64(n)
		watchdog.Reset(stall)
		progress(have, f.Size)
	}}
	if _, err := io.Copy(out, io.LimitReader(response.Body, f.Size-have)); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	if have < f.Size {
		return fmt.Errorf("the connection ended after %d of %d bytes", have, f.Size)
	}
	return file.Sync()
}

// counter is a writer that reports the number of bytes of each write.
type counter struct {
	io.Writer
	wrote func(n int)
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.wrote(n)
	return n, err
}

// userAgent names the program to the servers' owners.
const userAgent = "losscorr (https://github.com/losscorr/losscorr)"
