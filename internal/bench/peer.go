package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/data"
)

// peer is a Python process that does the same training steps in PyTorch. Once it cannot
// be used, ended is the reason, and every further request fails with it.
type peer struct {
	version   string
	ended     error
	data      string // folder of MNIST
	in        io.WriteCloser
	out       *bufio.Scanner
	cmd       *exec.Cmd
	ctx       context.Context
	kill      context.CancelFunc
	complaint bytes.Buffer
}

// request makes serve.py run a script, and runRequest makes it do steps. An answer has one
// field: version at the start, served or seconds in reply to these, or error.
type request struct {
	Script    string   `json:"script"`
	Data      string   `json:"data"`
	Arguments []string `json:"arguments"`
}

type runRequest struct {
	Run   int `json:"run"`
	Steps int `json:"steps"`
}

type answer struct {
	Version string  `json:"version"`
	Served  int     `json:"served"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error"`
}

// startPeer runs serve.py and waits until it has imported torch. The process is killed
// when ctx ends or o.Limit is over.
func startPeer(ctx context.Context, o Options) (*peer, error) {
	source, err := scripts.ReadFile("serve.py")
	if err != nil {
		return nil, err
	}
	arguments := []string{"-c", string(source), o.Device.String()}
	if o.CPUTime {
		arguments = append(arguments, "cpu-time")
	}
	if o.Limit == 0 {
		o.Limit = 10 * time.Minute
	}
	p := &peer{}
	if p.data, err = os.MkdirTemp("", "losscorr-bench"); err != nil {
		return nil, err
	}
	p.ctx, p.kill = context.WithTimeoutCause(ctx, o.Limit, errors.New("it took too long and was killed"))
	p.cmd = exec.CommandContext(p.ctx, o.Python, arguments...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // end its child processes with it
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.cmd.WaitDelay = time.Second
	p.cmd.Stderr = &p.complaint
	hello, err := p.start()
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w (torch and numpy are needed: python3 -m venv .venv && .venv/bin/pip install torch "+
			"numpy)", o.Python, err)
	}
	p.version = hello.Version
	return p, nil
}

func (p *peer) start() (hello answer, err error) {
	if err := os.CopyFS(p.data, data.Files); err != nil {
		return hello, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return hello, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return hello, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		p.in = nil
		return hello, err
	}
	return p.read()
}

// load runs a script of this folder, and returns a function that does steps and returns their time in seconds.
func (p *peer) load(script string, arguments ...string) (func(steps int) (float64, error), error) {
	text, err := scripts.ReadFile(script)
	if err != nil {
		return nil, err
	}
	a, err := p.ask(request{string(text), p.data + "/mnist", append([]string{}, arguments...)})
	if err != nil {
		return nil, err
	}
	return func(steps int) (float64, error) {
		a, err := p.ask(runRequest{a.Served, steps})
		if err == nil && !(a.Seconds > 0) {
			err = p.end(errors.New("its answer lacks the time"))
		}
		return a.Seconds, err
	}, nil
}

func (p *peer) ask(request any) (a answer, err error) {
	if p.ended != nil {
		return a, p.ended
	}
	line, err := json.Marshal(request)
	if err != nil {
		return a, err
	}
	_, _ = p.in.Write(append(line, '\n')) // reading tells why a process has ended
	return p.read()
}

// read waits for an answer.
func (p *peer) read() (a answer, err error) {
	if !p.out.Scan() {
		return a, p.end(p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &a); err != nil {
		return a, p.end(fmt.Errorf("it answered %.40q", p.out.Text()))
	}
	if a.Error != "" {
		return a, fmt.Errorf("PyTorch: %s", a.Error)
	}
	return a, nil
}

// end records why the process cannot be used, and kills it. If why is nil the process
// ended by itself, and the reason is its last line.
func (p *peer) end(why error) error {
	switch {
	case p.ctx.Err() != nil:
		why = context.Cause(p.ctx)
	case why != nil:
		p.kill()
	}
	p.stop()
	if why == nil {
		lines := strings.Split(strings.TrimSpace(p.complaint.String()), "\n")
		if why = errors.New(lines[len(lines)-1]); why.Error() == "" {
			why = errors.New(p.cmd.ProcessState.String()) // such as a signal
		}
	}
	p.ended = fmt.Errorf("PyTorch ended: %w", why)
	return p.ended
}

// stop ends the process, and kills it after a few seconds.
func (p *peer) stop() {
	if p.in != nil {
		_ = p.in.Close() // ends its loop
		p.in = nil
		late := time.AfterFunc(5*time.Second, p.kill)
		_ = p.cmd.Wait() // its status does not matter
		late.Stop()
	}
	p.kill()
	_ = os.RemoveAll(p.data)
}
