package main

import (
	"strings"
	"testing"
)

func TestUnlisted(t *testing.T) {
	const events = `{"Action":"run","Package":"github.com/losscorr/losscorr/torch","Test":"TestA"}
{"Action":"skip","Package":"github.com/losscorr/losscorr/torch","Test":"TestA"}
{"Action":"skip","Package":"github.com/losscorr/losscorr/torch","Test":"TestB/part"}
{"Action":"pass","Package":"github.com/losscorr/losscorr/torch","Test":"TestB"}
{"Action":"skip","Package":"github.com/losscorr/losscorr/data"}
`
	for allowed, want := range map[string]string{
		"":                                    "torch TestA,torch TestB/part",
		"torch TestA  a reason":               "torch TestB/part",
		"torch Test.*  all":                   "",
		"torch TestB  its subtests are not\n": "torch TestA,torch TestB/part",
	} {
		got, err := unlisted(strings.NewReader(events), allowed)
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("%q: %q, %v; want %q", allowed, got, err, want)
		}
	}
	if _, err := unlisted(strings.NewReader(""), "torch TestA"); err == nil {
		t.Error("a skip without a reason is allowed")
	}
	if _, err := unlisted(strings.NewReader(""), allowedText); err != nil {
		t.Error(err)
	}
}
