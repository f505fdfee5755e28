package store

import (
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"time"
)

// owner identifies the process that holds a lease.
type owner struct {
	Token string            `json:"token"`
	Host  string            `json:"host"`
	Boot  string            `json:"boot,omitempty"`  // id of the machine's last boot
	Space string            `json:"space,omitempty"` // namespace of process ids
	PID   int               `json:"pid"`
	Begun string            `json:"begun,omitempty"` // start of the process, in ticks since boot
	Clock string            `json:"clock,omitempty"` // time namespace of Begun
	Job   map[string]string `json:"job,omitempty"`   // as in Environment
	Since string            `json:"since"`           // RFC 3339, for people

	// Interval is the time in seconds between signs of life; 0 if unknown.
	Interval float64 `json:"interval,omitempty"`
}

func newOwner() owner {
	o := owner{
		Token: rand.Text(), Boot: bootID(), Space: processSpace(), Clock: clockSpace(), PID: os.Getpid(),
		Job: present(os.Environ(), jobVars(), ""), Since: Timestamp(),
	}
	o.Host, _ = os.Hostname() // empty if the machine has no name
	_, o.Begun = process(o.PID)
	return o
}

// String returns the owner's process and host.
func (o owner) String() string {
	if o.PID == 0 {
		return "unknown process"
	}
	return fmt.Sprintf("process %d on %s", o.PID, o.Host)
}

// here reports whether this machine would see the owner's process.
func (o owner) here(me owner) bool {
	return o.PID != 0 && o.Boot != "" && o.Host == me.Host && o.Boot == me.Boot && o.Space == me.Space
}

// patience returns how long the owner may give no sign of life: limit, or a lease of its intervals if that is longer.
func (o owner) patience(limit time.Duration) time.Duration {
	return max(limit, beatsPerLease*time.Duration(o.Interval*float64(time.Second)))
}

// dead reports whether the owner has surely ended: its process is gone, or the scheduler has started its job again as
// this process. Start times are compared only within one time namespace.
func (o owner) dead(me owner) bool {
	if o.here(me) {
		alive, begun := process(o.PID)
		return !alive || begun != "" && o.Begun != "" && o.Clock == me.Clock && begun != o.Begun
	}
	for _, s := range schedulers {
		if s.startedAgain(o.Job, me.Job) {
			return true
		}
	}
	return false
}

// me returns this process as an owner.
var me = sync.OnceValue(newOwner)
