package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// transfer fetches one file. The bytes so far are in part.
type transfer struct {
	file       File
	path, part string
	opt        Options
}

var errStalled = errors.New("no data arrived")

// size returns the number of bytes so far.
func (t *transfer) size() int64 {
	info, err := os.Stat(t.part)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt requests the missing bytes once, and returns nil when the part has the size of the file.
func (t *transfer) attempt(ctx context.Context) error {
	have := t.size()
	if have > t.file.Size { // not written by us
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

	response, err := request(ctx, t.file.Address, have)
	if err != nil {
		return t.network(ctx, err)
	}
	defer response.Body.Close()
	if have, err = t.accept(response, have); err != nil {
		return err
	}
	file, err := os.OpenFile(t.part, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(have); err != nil {
		return err
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return err
	}
	return t.fill(ctx, file, response.Body, have, watchdog)
}

// fill writes body to the part after the first have bytes, and resets the watchdog with each piece.
func (t *transfer) fill(ctx context.Context, file *os.File, body io.Reader, have int64, watchdog *time.Timer) error {
	buffer := make([]byte, 1<<18)
	for {
		n, err := body.Read(buffer)
		if int64(n) > t.file.Size-have {
			return errors.Join(fmt.Errorf("the server sent more than the published %d bytes", t.file.Size), os.Remove(t.part))
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
			return passing(fmt.Errorf("the connection ended after %d of %d bytes", have, t.file.Size))
		default:
			return errors.Join(file.Sync(), file.Close())
		}
	}
}

func request(ctx context.Context, address string, have int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	// Some servers declare a .gz file as encoded, and the HTTP client would unpack it.
	r.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return http.DefaultClient.Do(r)
}

// network classifies an error of the connection. An unknown host name is not worth another attempt.
func (t *transfer) network(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return passing(fmt.Errorf("%w for %v", errStalled, t.opt.Stall))
	}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // the caller adds the address
	}
	var lookup *net.DNSError
	if errors.As(err, &lookup) && lookup.IsNotFound {
		return err
	}
	return passing(err)
}

// accept checks the head of the answer, and returns the position of its first byte. Only the hash shows whether both
// parts belong to the same version of the file.
func (t *transfer) accept(r *http.Response, have int64) (start int64, err error) {
	switch code := r.StatusCode; {
	case code == http.StatusOK: // the server does not support ranges
		have = 0
	case code == http.StatusPartialContent && strings.HasPrefix(r.Header.Get("Content-Range"),
		fmt.Sprintf("bytes %d-", have)):
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		return 0, errors.Join(passing(fmt.Errorf("the server does not have the bytes from %d on", have)), os.Remove(t.part))
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return 0, passing(errors.New(r.Status))
	default:
		return 0, errors.New(r.Status)
	}
	if total := have + r.ContentLength; r.ContentLength >= 0 && total != t.file.Size {
		return 0, fmt.Errorf("the server's file has %d bytes instead of %d", total, t.file.Size)
	}
	return have, nil
}

// finish checks the hash and renames the part to path. It removes a part with a wrong hash.
func (t *transfer) finish() error {
	file, err := os.Open(t.part)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != t.file.SHA256 {
		return errors.Join(&hashError{sum, t.file.SHA256}, os.Remove(t.part))
	}
	return os.Rename(t.part, t.path)
}
