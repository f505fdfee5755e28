package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// peer is a Python process that does the same training steps in PyTorch.
type peer struct {
	in        io.WriteCloser
	out       *bufio.Reader
	cmd       *exec.Cmd
	complaint strings.Builder
}

// peerVersion names the PyTorch that python has.
func peerVersion(python string) (string, error) {
	source, err := scripts.ReadFile("serve.py")
	if err != nil {
		return "", err
	}
	p := &peer{cmd: exec.Command(python, "-c", string(source)+"\nprint(versions(), flush=True)")}
	if err := p.start(); err != nil {
		return "", err
	}
	defer p.stop()
	version, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w (torch and numpy are needed: python3 -m venv .venv && .venv/bin/pip install torch numpy)", python, p.ended())
	}
	return strings.TrimSpace(version), nil
}

// startPeer runs a script of this folder, with serve.py in front.
func startPeer(python, script string, arguments ...string) (*peer, error) {
	source := ""
	for _, file := range []string{"serve.py", script} {
		text, err := scripts.ReadFile(file)
		if err != nil {
			return nil, err
		}
		source += string(text) + "\n"
	}
	p := &peer{cmd: exec.Command(python, append([]string{"-c", source}, arguments...)...)}
	return p, p.start()
}

func (p *peer) start() error {
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.cmd.Stderr = &p.complaint
	p.out = bufio.NewReader(out)
	return p.cmd.Start()
}

// run is the time of that many steps, in seconds.
func (p *peer) run(steps int) (float64, error) {
	if _, err := fmt.Fprintln(p.in, steps); err != nil {
		return 0, p.ended()
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, p.ended()
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// ended is the last line that the process wrote before it died.
func (p *peer) ended() error {
	p.stop()
	lines := strings.Split(strings.TrimSpace(p.complaint.String()), "\n")
	return fmt.Errorf("PyTorch ended: %s", lines[len(lines)-1])
}

func (p *peer) stop() {
	_ = p.in.Close() // its loop ends
	_ = p.cmd.Wait()
}
