package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// transfer is the fetching of one file.
type transfer struct {
	file File
	path string
	part part
	opt  Options
}

var errStalled = errors.New("no byte came")

// attempt requests what is missing once, and returns nil when the part has the
// size of the file.
func (t *transfer) attempt(ctx context.Context) error {
	have := t.part.size()
	if have > t.file.Size { // not by us
		if err := t.part.discard(); err != nil {
			return err
		}
		have = 0
	}
	t.opt.Progress(have, t.file.Size)
	if have == t.file.Size {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(t.opt.Stall, func() { cancel(errStalled) })
	defer watchdog.Stop()

	from := t.part.version()
	response, err := request(ctx, t.file.Address, have, from)
	if err != nil {
		return t.network(ctx, err)
	}
	defer response.Body.Close()
	have, err = t.accept(response, have, from)
	if err != nil {
		return err
	}
	file, err := t.part.open(have)
	if err != nil {
		return err
	}
	defer file.Close()
	return t.fill(ctx, file, response.Body, have, watchdog)
}

// fill writes what comes after the first have bytes to the part, and puts the watchdog off with each piece.
func (t *transfer) fill(ctx context.Context, file io.WriteCloser, body io.Reader, have int64, watchdog *time.Timer) error {
	buffer := make([]byte, 1<<18)
	for {
		n, err := body.Read(buffer)
		if int64(n) > t.file.Size-have {
			if err := t.part.discard(); err != nil {
				return err
			}
			return fmt.Errorf("more than the %d bytes that were published", t.file.Size)
		}
		if _, failed := file.Write(buffer[:n]); failed != nil {
			return failed
		}
		have += int64(n)
		if n > 0 {
			watchdog.Reset(t.opt.Stall)
			t.opt.Progress(have, t.file.Size)
		}
		switch {
		case err == nil:
		case err != io.EOF:
			return t.network(ctx, err)
		case have < t.file.Size:
			return passing(fmt.Errorf("it ended after %d of %d bytes", have, t.file.Size))
		default:
			return file.Close()
		}
	}
}

func request(ctx context.Context, address string, have int64, from string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	// Some servers call a .gz file an encoding of what is in it, and it would be
	// unpacked on the way.
	r.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if from != "" {
			r.Header.Set("If-Range", from)
		}
	}
	return http.DefaultClient.Do(r)
}

// network is an error of the way there and back. A name that does not exist will
// not exist a second later.
func (t *transfer) network(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return passing(fmt.Errorf("%w for %v", errStalled, t.opt.Stall))
	}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // without the address, which the caller names
	}
	var lookup *net.DNSError
	if errors.As(err, &lookup) && lookup.IsNotFound {
		return err
	}
	return passing(err)
}

// accept decides by the head of the answer, and returns at which byte its body
// begins. A body that does not belong to the file leaves the part unchanged.
func (t *transfer) accept(r *http.Response, have int64, from string) (start int64, err error) {
	total := r.ContentLength
	switch code := r.StatusCode; {
	case code == http.StatusOK:
		have = 0 // the server knows no ranges, or the file has changed
	case code == http.StatusPartialContent:
		if start, total, err = contentRange(r.Header.Get("Content-Range")); err != nil {
			return 0, err
		}
		if now := versionOf(r); start != have || from != "" && now != "" && now != from {
			return 0, t.again("the file has changed since the download began")
		}
	case code == http.StatusRequestedRangeNotSatisfiable:
		return 0, t.again("the server does not have the bytes from %d on", have)
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		seconds, _ := strconv.Atoi(r.Header.Get("Retry-After"))
		return 0, &passingError{errors.New(r.Status), time.Duration(min(max(seconds, 0), 60)) * time.Second}
	default:
		return 0, errors.New(r.Status)
	}
	if total >= 0 && total != t.file.Size {
		return 0, fmt.Errorf("the file there has %d bytes, the published one %d", total, t.file.Size)
	}
	if have > 0 {
		return have, nil
	}
	return 0, t.part.begin(versionOf(r))
}

// again drops the bytes so far, so that the next attempt starts from the beginning.
func (t *transfer) again(format string, args ...any) error {
	if err := t.part.discard(); err != nil {
		return err
	}
	return passing(fmt.Errorf(format, args...))
}

// contentRange reads "bytes 100-999/1000"; total is -1 where it is "*".
func contentRange(head string) (start, total int64, err error) {
	span, size, ok := strings.Cut(strings.TrimPrefix(head, "bytes "), "/")
	first, _, also := strings.Cut(span, "-")
	if start, err = strconv.ParseInt(first, 10, 64); !ok || !also || err != nil {
		return 0, 0, fmt.Errorf("the server sends a part without saying which: Content-Range %q", head)
	}
	if size == "*" {
		return start, -1, nil
	}
	if total, err = strconv.ParseInt(size, 10, 64); err != nil {
		return 0, 0, fmt.Errorf("the server sends a part of a file without a size: Content-Range %q", head)
	}
	return start, total, nil
}

// finish checks the hash and gives the part its name. A part of another hash is
// dropped.
func (t *transfer) finish() error {
	sum, err := t.part.hash()
	if err != nil {
		return err
	}
	if sum != t.file.SHA256 {
		if err := t.part.discard(); err != nil {
			return err
		}
		return &hashError{sum, t.file.SHA256}
	}
	if err := os.Rename(t.part.path, t.path); err != nil {
		return err
	}
	return t.part.discard() // what was noted of it
}
