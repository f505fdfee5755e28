package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

//go:embed mnist_step.py
var script string

// peer is a Python process that trains the same network in PyTorch.
type peer struct {
	version string
	in      io.WriteCloser
	out     *bufio.Reader
	cmd     *exec.Cmd
}

func startPeer(python, data string) (*peer, error) {
	p := &peer{cmd: exec.Command(python, "-c", script, data)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var complaint strings.Builder
	p.cmd.Stderr = &complaint
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if p.version, err = p.out.ReadString('\n'); err != nil {
		p.stop()
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return nil, fmt.Errorf("%s: %s (torch and numpy are needed: python3 -m venv .venv && .venv/bin/pip install torch numpy)", python, lines[len(lines)-1])
	}
	p.version = strings.TrimSpace(p.version)
	return p, nil
}

// run is the time of that many steps, in seconds.
func (p *peer) run(steps int) (float64, error) {
	if _, err := fmt.Fprintln(p.in, steps); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("PyTorch ended: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

func (p *peer) stop() {
	_ = p.in.Close() // its loop ends
	_ = p.cmd.Wait()
}
