package command

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
)

// serve shows the live page until the context ends or a signal comes.
func (p Program) serve(ctx context.Context, address string, dirs []string) error {
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("%w: serve the report: %w", store.ErrData, err)
		}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usage("losscorr report", "--listen %s: %v; want an address such as 127.0.0.1:8931", address, err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve the report: %w; name another address with --listen, such as 127.0.0.1:0 for a free one", err)
	}
	if !loopback(host) {
		fmt.Fprintf(p.Stderr, "warning: %s is open to other machines, and whoever reaches it sees these runs\n", listener.Addr())
	}
	fmt.Fprintf(p.Stderr, "http://%s/ shows %s; Ctrl-C ends it\n", listener.Addr(), strings.Join(dirs, ", "))

	// There is no checkpoint to wait for, which the program's own handler of
	// signals would tell.
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Handler: guard(host, newLiveReport(dirs)), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the report: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		_ = server.Close() // who has not got an answer by now does without
	}
	return nil
}

// loopback reports whether only this machine reaches a host's address.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// guard lets through requests that only read, and that name the server as its
// own user does. A page elsewhere whose name was pointed at this machine, DNS
// rebinding, sends its own name as Host: so names other than localhost and the
// one listened on are refused, and while only this machine may look, addresses
// other than its own.
func guard(listen string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", report.LivePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !welcome(r.Host, listen):
			http.Error(w, "this name is not the server's", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func welcome(host, listen string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if loopback(host) {
		return true
	}
	if loopback(listen) {
		return false
	}
	machine, _ := os.Hostname() // without a name there is none to welcome
	return net.ParseIP(host) != nil || host != "" && slices.Contains([]string{listen, machine}, host)
}
