package review

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// No other label is suggested if the given one is likely right, but the likeliest other class can be chosen.
func TestRunnerUp(t *testing.T) {
	f, s := opened(t, 100)
	issues, err := f.Issues()
	if err != nil || issues[0].PWrong <= judging.LikelyWrong || issues[99].PWrong > judging.LikelyWrong {
		t.Fatal(issues[0], issues[99], err)
	}
	for place, i := range s.order {
		suggested, runner := issues[i].Suggested, ""
		if issues[i].PWrong <= judging.LikelyWrong {
			suggested = issues[i].Given
			runner = slices.DeleteFunc(s.near.likely(issues[i].Row), func(c string) bool { return c == suggested })[0]
		}
		if e := s.Example(t.Context(), place); e.Runner != runner || e.Suggested != suggested {
			t.Errorf("%+v, want %q and the runner-up %q", e, suggested, runner)
		}
	}
}

// An unreadable example is reported, and does not stop the review.
func TestUnreadable(t *testing.T) {
	f := images(t, 100)
	o := options(t, f)
	good, broken := o.Originals, ""
	calls := 0
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		calls++
		if slices.Contains(ids, broken) {
			return nil, errors.New("the file is cut off")
		}
		return good(ctx, ids)
	}
	s := open(t, f, o)
	broken = s.issues[s.order[0]].ID
	e := s.Example(t.Context(), 0)
	if e.Missing != "This example cannot be read: the file is cut off" || len(e.Near[0].Looks) == 0 {
		t.Errorf("%+v", e)
	}
	broken, calls = "", 0
	if e := s.Example(t.Context(), 0); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls: %+v", calls, e)
	}
	if e := s.Example(t.Context(), 1); !e.Look.Image || calls != 1 {
		t.Errorf("%d calls for what was loaded ahead: %+v", calls, e.Look)
	}
}

// An example that has changed since the audit is reported as replaced.
func TestReplaced(t *testing.T) {
	f := images(t, 60)
	expect.OK(t, f.WriteSums(slices.Repeat([]uint64{7}, 60)))
	o := options(t, f)
	good, sum := o.Originals, uint64(7)
	o.Originals = func(ctx context.Context, ids []string) ([]own.Original, error) {
		list, err := good(ctx, ids)
		for k := range list {
			list[k].Sum = sum
		}
		return list, err
	}
	for _, now := range []uint64{7, 8, 0} { // 0 is unknown
		sum = now
		s := open(t, f, o)
		if e := s.Example(t.Context(), 0); (e.Replaced != "") != (now == 8) {
			t.Errorf("%d: %q", now, e.Replaced)
		}
		shut(t, s)
	}
}

// The cache of originals stays within a number of bytes.
func TestLooksAreBounded(t *testing.T) {
	issues := make([]audit.Issue, 200)
	for row := range issues {
		issues[row].Row = row
	}
	l := newLooks(issues, func(_ context.Context, ids []string) ([]own.Original, error) {
		out := make([]own.Original, len(ids))
		for k := range out {
			out[k].Image = make([]byte, 1<<20)
		}
		return out, nil
	})
	for row := range issues {
		if got, err := l.get(t.Context(), []int{row}, func(int) []int {
			return nil
		}); err != nil || len(got[row].Image) != 1<<20 {
			t.Fatalf("row %d: %v", row, err)
		}
	}
	if l.bytes > keptBytes || len(l.kept) != len(l.rows) || len(l.kept) != keptBytes>>20 {
		t.Errorf("%d bytes of %d, %d", l.bytes, len(l.kept), len(l.rows))
	}
}
