//go:build linux

package slurm_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
)

// testCluster is a Slurm cluster of one node, this machine, with its own folder and ports. It needs no privileges and
// does not touch other clusters.
type testCluster struct {
	dir  string
	conf string
	node string
}

// maxArraySize is the controller's MaxArraySize, small enough that few tasks exceed it.
const maxArraySize = 11

const slurmConf = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SlurmctldParameters=preempt_send_user_signal
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=10
MinJobAge=300
MaxArraySize=%[6]d
GresTypes=gpu
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=10 PreemptMode=REQUEUE
PartitionName=high Nodes=%[1]s MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
`

// live skips tests that take minutes and may install Slurm, unless requested.
func live(t *testing.T) {
	t.Helper()
	if os.Getenv("LOSSCORR_TEST_SLURM") == "" {
		t.Skip("make -f .ci/checks.mk test-slurm tests on a real Slurm")
	}
}

// startCluster starts a cluster that stops at the end of the test. It installs Slurm if necessary.
func startCluster(t *testing.T) testCluster {
	t.Helper()
	install(t)
	host, err := os.Hostname()
	expect.OK(t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	expect.OK(t, err)
	dir, err := os.MkdirTemp("", "slurm-test-") // a socket's path must be short
	expect.OK(t, err)
	c := testCluster{dir: dir, conf: filepath.Join(dir, "slurm.conf"), node: host}
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range []string{"slurmctld.log", "slurmd.log"} {
				log, _ := os.ReadFile(filepath.Join(dir, name)) // empty if missing
				t.Logf("%s ends:\n%s", name, log[max(0, len(log)-4000):])
			}
		}
		_ = os.RemoveAll(dir)
	})
	for _, sub := range []string{"state", "spool"} {
		expect.OK(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	ports := freePorts(t, 2)
	write(t, c.conf, fmt.Sprintf(slurmConf, host, me.Username, ports[0], ports[1], dir, maxArraySize))
	// Any character devices can stand in for GPUs that nothing computes on.
	const gpu = "NodeName=%[1]s Name=gpu File=/dev/null\nNodeName=%[1]s Name=gpu File=/dev/zero\n"
	write(t, filepath.Join(dir, "gres.conf"), fmt.Sprintf(gpu, host))
	t.Setenv("SLURM_CONF", c.conf)
	for _, e := range os.Environ() { // set if this test runs on a cluster
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "SBATCH_") || strings.HasPrefix(name, "SLURM_") && name != "SLURM_CONF" {
			t.Setenv(name, "")
			_ = os.Unsetenv(name)
		}
	}
	c.daemon(t, "slurmctld", "-D", "-c", "-f", c.conf)
	wait(t, "slurmctld answers", 20*time.Second, func() bool { return strings.Contains(c.try("scontrol", "ping"), "UP") })
	c.daemon(t, "slurmd", "-D", "-c", "-N", host, "-f", c.conf)
	wait(t, "the node is idle", 20*time.Second, func() bool {
		return strings.TrimSpace(c.try("sinfo", "-h", "-p", "main", "-o", "%T")) == "idle"
	})
	t.Cleanup(func() { // before the daemons end: jobs outlive slurmd
		c.try("scancel", "--signal=KILL", "--full", "--user="+me.Username)
		c.try("scancel", "--user="+me.Username)
		for n := 0; n < 100 && strings.TrimSpace(c.try("squeue", "-h")) != ""; n++ {
			time.Sleep(100 * time.Millisecond)
		}
	})
	return c
}

func install(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("slurmctld"); err == nil {
		return
	}
	if os.Getuid() != 0 {
		t.Fatal("slurmctld is not installed, and installing it takes root: apt-get install slurm-wlm")
	}
	for _, args := range [][]string{{"update", "-q"}, {"install", "-y", "-q", "--no-install-recommends", "slurm-wlm"}} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("apt-get %s: %v\n%s", args[0], err, out)
		}
	}
}

func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		expect.OK(t, err)
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// daemon starts a daemon that is stopped at the end of the test.
func (c testCluster) daemon(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	expect.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // ended by the signal
		late.Stop()
	})
}

// try calls one of Slurm's programs and returns its output, whether it succeeded or not.
func (c testCluster) try(name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, name, args...).CombinedOutput() // the caller checks the text
	return string(out)
}

// slurm calls one of Slurm's programs, which must succeed.
func (c testCluster) slurm(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// idle waits until no job is queued.
func (c testCluster) idle(t *testing.T, limit time.Duration) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Log(c.try("squeue") + c.try("scontrol", "show", "node"))
		}
	}()
	wait(t, "no job is queued", limit, func() bool { return strings.TrimSpace(c.try("squeue", "-h")) == "" })
}

// wait polls until a condition holds.
func wait(t *testing.T, what string, limit time.Duration, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited %v until %s", limit, what)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
}
