package command

import (
	"testing"
)

// What repeats an audit names no file of answers, which its folder has.
func TestRepeated(t *testing.T) {
	for command, want := range map[string]string{
		"losscorr audit 'my x.csv' --id id":                          "losscorr audit 'my x.csv' --id id",
		"losscorr audit x.csv --answers-from 'a 1.csv' --id id":      "losscorr audit x.csv --id id",
		"losscorr audit --answers-from=a.csv x.csv --answers-from c": "losscorr audit x.csv",
	} {
		if got := repeated(command); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}
