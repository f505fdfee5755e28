package command

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/store"
)

// ask sends a request to the live page's handler as it listens on listen.
func ask(h http.Handler, listen, method, host, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://"+host+"/", nil)
	r.URL.Path, r.URL.RawPath, r.RequestURI = path, "", path
	w := httptest.NewRecorder()
	guard(listen, h).ServeHTTP(w, r)
	return w
}

func setStatus(t *testing.T, folder string, s store.Status) {
	t.Helper()
	makeFolder(t, folder)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, store.StatusFile), text)
}

// setRunning makes a run that a process on another machine is doing.
func setRunning(t *testing.T, folder string, s store.Status) {
	t.Helper()
	s.Schema, s.State = 1, store.Running
	setStatus(t, folder, s)
	write(t, filepath.Join(folder, "lease.1"), []byte("{\"host\":\"elsewhere\",\"pid\":7}\n000000000001\n"))
}

func TestServe(t *testing.T) {
	root := threeRuns(t)
	live := filepath.Join(root, "dddddddddddd")
	setRunning(t, live, store.Status{Epoch: 2, Epochs: 10})
	write(t, filepath.Join(live, store.MetricsFile), []byte("{\"epoch\":1,\"seconds\":3}\n{\"epoch\":2,\"seconds\":5,\"test_accuracy\":61.25}\n"))
	write(t, filepath.Join(root, "plan.json"), []byte(`{"schema":1,"runs":[{"id":"aaaaaaaaaaaa"},{"id":"eeeeeeeeeeee"},{"id":"ffffffffffff"}]}`))
	h := newLiveReport([]string{root})
	const listen, host = "127.0.0.1", "127.0.0.1:8931"

	page := ask(h, listen, "GET", host, "/")
	for _, want := range []string{
		"<dt>ended</dt><dd>3 of 6</dd>", "<dt>not begun</dt><dd>2</dd>", "<dt>running</dt><dd>1</dd>", "<dt>failed</dt><dd>1</dd>",
		"dddddddddddd", "2 of 10", "<td>4.00 s</td><td>32.0 s</td><td>61.25 %</td>", "disk | full", ">97.0<",
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("no %s", want)
		}
	}
	for header, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none';", "Cache-Control": "no-store",
	} {
		if got := page.Header().Get(header); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	for _, source := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		if !strings.HasPrefix(source[1], "#") && source[1] != "data:," {
			t.Errorf("something from elsewhere: %s", source[1])
		}
	}

	for _, test := range []struct {
		listen, method, host, path string
		want                       int
	}{
		{listen, "HEAD", host, "/", 200},
		{listen, "GET", "localhost:9000", "/live", 200}, // through a tunnel
		{listen, "GET", "[::1]:8931", "/report", 200},
		{listen, "GET", "evil.example", "/", 403},
		{listen, "GET", "evil.example:8931", "/live", 403},
		{listen, "GET", "192.0.2.7:8931", "/", 403},
		{listen, "GET", "", "/", 403},
		{"0.0.0.0", "GET", "192.0.2.7:8931", "/", 200},
		{"0.0.0.0", "GET", "evil.example:8931", "/", 403},
		{"box.example", "GET", "box.example:8931", "/", 200},
		{listen, "POST", host, "/", 405},
		{listen, "DELETE", host, "/live", 405},
		{listen, "OPTIONS", host, "/", 405},
		{listen, "GET", host, "/aaaaaaaaaaaa/result.json", 404},
		{listen, "GET", host, "/etc/passwd", 404},
		{listen, "GET", host, "/live/../../etc/passwd", 307}, // to the path without dots
		{listen, "GET", host, "/..%2f..%2fetc/passwd", 404},
	} {
		w := ask(h, test.listen, test.method, test.host, test.path)
		if w.Code != test.want {
			t.Errorf("%s %s of %q, listening on %s: %d, want %d", test.method, test.path, test.host, test.listen, w.Code, test.want)
		}
		if test.method == "HEAD" && w.Body.Len() > 0 {
			t.Error("HEAD has a body")
		}
		if test.want != 200 && strings.Contains(w.Body.String(), "forward") {
			t.Errorf("%s %s tells of runs", test.method, test.path)
		}
	}
}

// While nothing ends, the report is not written again; when something has, it is.
func TestServeKeepsWhatIsTheSame(t *testing.T) {
	root := threeRuns(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := &liveReport{dirs: []string{root}, now: func() time.Time { return now }}
	body := func() string {
		t.Helper()
		now = now.Add(2 * rescan)
		l.scan()
		b, err := l.body()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := body()
	at := l.rendered
	setRunning(t, filepath.Join(root, "dddddddddddd"), store.Status{Epoch: 1, Epochs: 10})
	if body() != first || l.rendered != at {
		t.Error("a run that goes on made the report anew")
	}
	setStatus(t, filepath.Join(root, "dddddddddddd"), store.Status{Schema: 1, State: store.Failed, Epoch: 1, Epochs: 10, Error: "out of luck"})
	second := body()
	if !strings.Contains(second, "out of luck") || l.rendered == at {
		t.Error("a run that failed is not in the report")
	}
	l.took = time.Hour // to write it takes long: not at every change
	finished(t, root, "eeeeeeeeeeee", "backward", 1)
	if body() != second {
		t.Error("the report was made anew at once")
	}
	now = now.Add((renderShare + 1) * time.Hour)
	if third := body(); !strings.Contains(third, "backward") {
		t.Error("the report was not made anew later")
	}
}

// A run that has been silent for long, or whose process is gone, is told apart
// from one that lives, and as grid status and results do.
func TestServeTellsTheDead(t *testing.T) {
	root := threeRuns(t)
	folder := filepath.Join(root, "dddddddddddd")
	setRunning(t, folder, store.Status{Epoch: 2, Epochs: 10})
	write(t, filepath.Join(folder, store.MetricsFile), []byte("{\"epoch\":2,\"seconds\":5}\n"))
	lease := filepath.Join(folder, "lease.1")
	state := func(want string, more ...string) {
		t.Helper()
		h := newLiveReport([]string{root})
		contains(t, "the page", ask(h, "localhost", "GET", "localhost", "/live").Body.String(), append(more, "<dt>"+want+"</dt><dd>1</dd>")...)
		if code, text, _ := results("show", "--state", want, root); code != ExitDone || !strings.Contains(text, "dddddddddddd") {
			t.Errorf("results show has no run that is %s: %s", want, text)
		}
	}
	state(store.Running, "process 7 on elsewhere", "<td>5.00 s</td><td>40.0 s</td>")
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lease, before, before); err != nil {
		t.Fatal(err)
	}
	state(store.Silent, "1h0m", "process 7 on elsewhere")
	write(t, lease, []byte("{\"host\":\"elsewhere\",\"pid\":7}\nfree        \n"))
	state(store.Killed, "<td>5.00 s</td><td></td>") // nothing is left to wait for
	if err := os.Remove(lease); err != nil {
		t.Fatal(err)
	}
	state(store.Killed, "unknown process")
}

// The command serves until Ctrl-C, which is no failure.
func TestServeCommand(t *testing.T) {
	root := threeRuns(t)
	cmd := exec.Command("losscorr-real", "report", "--serve", "--listen", "127.0.0.1:0", root)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.Fields(line)[0]
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || !strings.Contains(string(text), "Runs now") {
		t.Errorf("%v, page %.200s", err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v, %s", err, rest)
	}

	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--serve", filepath.Join(root, "none")}, ExitData, "none"},
		{[]string{"--serve", root, "--listen", "8931"}, ExitUsage, "want an address"},
		{[]string{"--serve", root, "--table2"}, ExitUsage, "--serve shows a page"},
		{[]string{"--listen", "127.0.0.1:1", root}, ExitUsage, "--listen is of --serve"},
	} {
		if code, _, diagnostics := reported(test.args...); code != test.code || !strings.Contains(diagnostics, test.want) {
			t.Errorf("%q: exit code %d, %s", test.args, code, diagnostics)
		}
	}
}
