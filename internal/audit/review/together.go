package review

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

// drawSecond chooses the examples for two opinions by a hash of their names: the same ones in each
// session, and more of them for a larger percentage.
func (s *Session) drawSecond(percent int) {
	if percent <= 0 {
		return
	}
	s.second = make([]bool, len(s.issues))
	for i, issue := range s.issues {
		sum := sha256.Sum256([]byte("second opinion " + issue.ID))
		s.second[i] = float64(binary.BigEndian.Uint64(sum[:8])) < float64(percent)/100*math.MaxUint64
	}
}

// wanted reports whether an example that one reviewer has decided needs another one.
func (s *Session) wanted(i int) bool { return s.second != nil && s.second[i] && s.decidedBy[i] == 1 }

// count updates the verdicts after lines about issues were written.
func (s *Session) count(lines []audit.Decision, issues []int) {
	changed := false
	for k, d := range lines {
		before := s.verdicts[issues[k]].Action
		s.tally.Add(d)
		s.judge(issues[k])
		changed = changed || before == audit.Conflict || s.verdicts[issues[k]].Action == audit.Conflict
	}
	if changed {
		_ = s.listConflicts() // the decision is saved; Close writes the list again, and reports errors
	}
}

// judge updates the verdict on an issue.
func (s *Session) judge(i int) {
	o := s.tally[s.issues[i].ID]
	s.verdicts[i], s.decidedBy[i] = o.Verdict(), uint8(min(len(o.Told()), 255))
}

// listConflicts writes conflicts.csv.
func (s *Session) listConflicts() error { return s.folder.WriteConflicts(s.tally) }

// reservation reserves an example for the page that shows it, so that two people do not get the same
// one.
type reservation struct {
	place int
	from  time.Time
}

// reserved is how long a reservation lasts.
const (
	reserved  = 5 * time.Minute
	mostShown = 2 // the example that the page shows, and the next one, which it has loaded
)

// reserve reserves a place for a reviewer, unless it is -1.
func (r *Reviewer) reserve(place int) {
	if place < 0 {
		return
	}
	r.shown = append(r.shown, reservation{place, time.Now()})
	r.shown = r.shown[max(0, len(r.shown)-mostShown):]
}

// taken reports whether a place is reserved for another reviewer.
func (r *Reviewer) taken(place int) bool {
	for _, other := range r.people {
		if other == r {
			continue
		}
		for _, x := range other.shown {
			if x.place == place && time.Since(x.from) < reserved {
				return true
			}
		}
	}
	return false
}

// open reports whether to ask a reviewer about an issue: nobody has decided it, or it needs a second
// opinion.
func (r *Reviewer) open(i int) bool {
	return r.last(i).Action == "" && (r.decidedBy[i] == 0 || r.wanted(i))
}

// queue returns at most most open places after a place: first those that need a second opinion, then the
// others, starting over after the last. A review of random checks ends with these.
func (r *Reviewer) queue(after, most int) (places []int) {
	count := len(r.order)
	if r.draw != nil || r.accept != nil {
		count = r.asked
	}
	if r.accept != nil && r.accept.Test(r.tally.Verdicts()).Verdict() != checking.Undecided {
		count = 0
	}
	take := func(place int) {
		if place != after && len(places) < most && r.open(r.order[place]) && !r.taken(place) {
			places = append(places, place)
		}
	}
	if r.second != nil {
		for place := 0; place < count && len(places) < most; place++ {
			if r.wanted(r.order[place]) {
				take(place)
			}
		}
	}
	for k := 0; k < count && len(places) < most; k++ {
		if place := (after + 1 + k) % count; !r.wanted(r.order[place]) {
			take(place)
		}
	}
	if len(places) == 0 && after >= 0 && after < count && r.open(r.order[after]) {
		places = append(places, after)
	}
	return places
}

// next returns the first place of the queue, or -1.
func (r *Reviewer) next(after int) int {
	if places := r.queue(after, 1); len(places) > 0 {
		return places[0]
	}
	return -1
}

// Next returns and reserves the place to ask a reviewer about after another one, or -1 if all are
// decided or skipped.
func (r *Reviewer) Next(after int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := r.next(after)
	r.reserve(place)
	return place
}

// nextDisputed returns the next place after another one where reviewers disagree, or -1.
func (s *Session) nextDisputed(after int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.order {
		if place := (after + 1 + k) % len(s.order); s.verdicts[s.order[place]].Action == audit.Conflict {
			return place
		}
	}
	return -1
}

// Progress counts the decisions of all, and the reviewer's own.
func (r *Reviewer) Progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress()
	for _, o := range r.tally {
		for _, x := range o {
			if x.Reviewer == r.name && !x.Settles() {
				p.Mine++
			}
		}
	}
	return p
}

// others is the action shown for an example that somebody else has decided, which hides the decision.
const others audit.Action = "others"

// seen returns the decision that a reviewer may see: before an own decision, only conflicts and
// settlements.
func (r *Reviewer) seen(i int) audit.Decision {
	v, own := r.verdicts[i], r.last(i)
	switch {
	case v.Action == audit.Conflict || v.Settles():
		return v
	case own.Action != "":
		return own
	case r.decidedBy[i] > 0 && !r.open(i):
		return audit.Decision{Action: others}
	}
	return audit.Decision{}
}

// Said is one reviewer's decision about an example.
type Said struct {
	Reviewer string `json:"reviewer"`
	Label    string `json:"label"`
	Action   string `json:"action"`
	Settles  bool   `json:"settles,omitempty"`
}

// said returns all decisions about an issue, if there are others' decisions that the reviewer may see.
func (r *Reviewer) said(i int) []Said {
	out := []Said{}
	if d := r.seen(i); d.Action == "" || d.Action == others || d.Action == audit.Skip {
		return out
	}
	alone := true
	for _, x := range r.tally[r.issues[i].ID] {
		alone = alone && x.Reviewer == r.name
		out = append(out, Said{audit.NameOf(x.Reviewer), x.Label, string(x.Action), x.Settles()})
	}
	if alone {
		return []Said{}
	}
	return out
}
