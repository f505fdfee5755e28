// Package humanize formats counts, durations and ranges of numbers for people.
package humanize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count formats a number of things: 1 epoch, 2,000 epochs, 3 classes.
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		noun += "e"
	}
	return Number(n) + " " + noun + "s"
}

// People formats a number of people: 1 person, 2 people.
func People(n int) string {
	if n == 1 {
		return "1 person"
	}
	return Number(n) + " people"
}

// Runs formats a number of runs: 1 run, 2 runs.
func Runs(n int) string { return Count(n, "run") }

// Duration formats a duration, rounded to seconds: 42s, 3m07s, 2h05m.
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Roughly formats a rounded duration: 25 minutes, 3 h 20 min, 12 days.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "under a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()+.5))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// Number formats a number with commas between thousands: 60,000.
func Number(n int) string {
	text := strconv.Itoa(n)
	first := 1
	if n < 0 {
		first = 2
	}
	for at := len(text) - 3; at >= first; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// About formats an estimated count with at most three significant digits: 11,900.
func About(v float64) string {
	unit := 1.0
	for math.Abs(v)/unit >= 1000 {
		unit *= 10
	}
	return Number(int(math.Round(v/unit) * unit))
}
