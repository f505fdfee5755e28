package review

import (
	"context"

	"github.com/losscorr/losscorr/internal/audit"
)

// The methods for one reviewer without a name.

func (s *Session) alone() *Reviewer {
	r, err := s.Reviewer("")
	if err != nil {
		panic(err)
	}
	return r
}

func (s *Session) Undo() (int, error)        { return s.alone().Undo() }
func (s *Session) Next(after int) int        { return s.alone().Next(after) }
func (s *Session) last(i int) audit.Decision { return s.alone().last(i) }

func (s *Session) Example(ctx context.Context, place int) Example {
	return s.alone().Example(ctx, place)
}

func (s *Session) List(f Filter, from, count int) (int, []Line) {
	total, lines, err := s.alone().List(context.Background(), f, from, count)
	if err != nil {
		panic(err)
	}
	return total, lines
}
