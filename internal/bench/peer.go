package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// peer is a Python process that does the same training steps in PyTorch. Once it cannot
// be used, ended is the reason, and every further request fails with it.
type peer struct {
	version   string
	ended     error
	in        io.WriteCloser
	out       *bufio.Scanner
	cmd       *exec.Cmd
	kill      context.CancelCauseFunc
	ctx       context.Context
	left      time.Duration // for its remaining answers
	complaint tail
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
	Version *string  `json:"version"`
	Served  *int     `json:"served"`
	Seconds *float64 `json:"seconds"`
	Error   string   `json:"error"`
}

// PyTorch returns the versions of torch and its libraries in python for the device. It
// fails if the interpreter does not run, has no torch or NumPy, or cannot use the device.
func PyTorch(ctx context.Context, python string, device torch.Device) (string, error) {
	p, err := startPeer(ctx, python, device, time.Minute)
	if err != nil {
		return "", err
	}
	p.stop()
	return p.version, nil
}

// startPeer runs serve.py and waits until it has imported torch. The process is killed
// when ctx ends, or when its answers have taken longer than limit in total.
func startPeer(ctx context.Context, python string, device torch.Device, limit time.Duration,
	arguments ...string) (*peer, error) {
	source, err := scripts.ReadFile("serve.py")
	if err != nil {
		return nil, err
	}
	p := &peer{left: limit}
	p.ctx, p.kill = context.WithCancelCause(ctx)
	p.cmd = exec.CommandContext(p.ctx, python, append([]string{"-c", string(source), device.String()}, arguments...)...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // end its child processes with it
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.cmd.WaitDelay = time.Second
	p.cmd.Stderr = &p.complaint
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		p.kill(nil)
		return nil, err
	}
	hello, err := p.read()
	if err == nil && hello.Version == nil {
		err = p.end(errors.New("its first answer lacks the version"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (torch and numpy are needed: python3 -m venv .venv && .venv/bin/pip install torch "+
			"numpy)", python, err)
	}
	p.version = *hello.Version
	return p, nil
}

// load runs a script of this folder, and returns the number to request its steps by.
func (p *peer) load(script, data string, arguments []string) (int, error) {
	text, err := scripts.ReadFile(script)
	if err != nil {
		return 0, err
	}
	a, err := p.ask(request{Script: string(text), Data: data, Arguments: append([]string{}, arguments...)})
	if err != nil {
		return 0, err
	}
	if a.Served == nil {
		return 0, p.end(errors.New("its answer to a script lacks the number"))
	}
	return *a.Served, nil
}

// run returns the time of some steps, in seconds.
func (p *peer) run(served, steps int) (float64, error) {
	a, err := p.ask(runRequest{served, steps})
	if err != nil {
		return 0, err
	}
	if a.Seconds == nil || !(*a.Seconds > 0) {
		return 0, p.end(errors.New("its answer lacks the time"))
	}
	return *a.Seconds, nil
}

func (p *peer) ask(request any) (answer, error) {
	if p.ended != nil {
		return answer{}, p.ended
	}
	line, err := json.Marshal(request)
	if err != nil {
		return answer{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer{}, p.end(nil)
	}
	return p.read()
}

// read waits for an answer until the time is up.
func (p *peer) read() (a answer, err error) {
	begun := time.Now()
	late := time.AfterFunc(p.left, func() { p.kill(errors.New("it took too long and was killed")) })
	got := p.out.Scan()
	late.Stop()
	p.left -= time.Since(begun)
	switch {
	case p.ctx.Err() != nil:
		return a, p.end(context.Cause(p.ctx))
	case !got:
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
	if why != nil {
		p.kill(nil)
	}
	p.stop()
	if why == nil {
		last := p.complaint.line()
		if last == "" {
			last = p.cmd.ProcessState.String() // such as a signal
		}
		why = errors.New(last)
	}
	p.ended = fmt.Errorf("PyTorch ended: %w", why)
	return p.ended
}

// stop ends the process, and kills it after a few seconds.
func (p *peer) stop() {
	if p.in == nil {
		return
	}
	_ = p.in.Close() // ends its loop
	p.in = nil
	late := time.AfterFunc(5*time.Second, func() { p.kill(nil) })
	defer late.Stop()
	_ = p.cmd.Wait() // its status does not matter
	p.kill(nil)
	if p.ended == nil {
		p.ended = errors.New("PyTorch was stopped")
	}
}

// tail keeps the end of the text written to it.
type tail struct{ text []byte }

func (t *tail) Write(text []byte) (int, error) {
	const most = 4096
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(text), nil
}

// line returns the last line.
func (t *tail) line() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}

// peer returns a new PyTorch process or, with b.one, the shared one.
func (b *bench) peer() (*peer, error) {
	if b.one && len(b.peers) > 0 {
		return b.peers[0], nil
	}
	var arguments []string
	if b.CPUTime {
		arguments = []string{"cpu-time"}
	}
	p, err := startPeer(b.ctx, b.Python, b.Device, b.PythonTime, arguments...)
	if err == nil {
		b.peers = append(b.peers, p)
	}
	return p, err
}

// stepper does steps and returns their time in seconds.
type stepper func(steps int) (float64, error)

// load runs a script in PyTorch, in its own process unless b.one is set.
func (b *bench) load(script string, arguments ...string) (stepper, error) {
	p, err := b.peer()
	if err != nil {
		return nil, err
	}
	data := ""
	if script == mnistScript || script == mnistJAXScript {
		if data, err = b.mnistFolder(); err != nil {
			return nil, err
		}
	}
	served, err := p.load(script, data, arguments)
	if err != nil {
		return nil, err
	}
	return func(steps int) (float64, error) { return p.run(served, steps) }, nil
}

// beside loads each variant of a workload into PyTorch, if Options.Python is set.
func (b *bench) beside(w workload) ([]stepper, error) {
	if b.Python == "" {
		return nil, nil
	}
	var all []stepper
	for _, arguments := range w.variants {
		s, err := b.load(w.script, arguments...)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// besideCompiled loads the compiled variants of a workload, and prints a line for each
// that this Python cannot run.
func (b *bench) besideCompiled(w workload) (all []stepper, names []string) {
	if b.Python == "" {
		return nil, nil
	}
	for _, c := range allCompiled {
		if c.workload != w.name {
			continue
		}
		s, err := b.load(c.script, c.arguments...)
		if err != nil {
			fmt.Fprintf(b.out, "%s of the %s is left out: %v\n", c.name, w.title, err)
			continue
		}
		all, names = append(all, s), append(names, c.name)
	}
	return all, names
}
