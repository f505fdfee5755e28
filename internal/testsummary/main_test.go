package main

import (
	"strings"
	"testing"
)

// The lines are go test -json's of Go 1.26, shortened.
const sample = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"noise of a test that passes\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood","Elapsed":0.1}
{"Action":"run","Package":"m/a","Test":"TestBad"}
{"Action":"run","Package":"m/a","Test":"TestBad/sub"}
{"Action":"output","Package":"m/a","Test":"TestBad/sub","Output":"    a_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad/sub","Elapsed":0}
{"Action":"fail","Package":"m/a","Test":"TestBad","Elapsed":0.2}
{"Action":"run","Package":"m/a","Test":"TestSkipped"}
{"Action":"output","Package":"m/a","Test":"TestSkipped","Output":"=== RUN   TestSkipped\n"}
{"Action":"output","Package":"m/a","Test":"TestSkipped","Output":"    a_test.go:20: no GPU\n"}
{"Action":"skip","Package":"m/a","Test":"TestSkipped","Elapsed":0}
{"Action":"fail","Package":"m/a","Elapsed":0.5}
{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"b.go:3:1: syntax error\n"}
{"ImportPath":"m/b [m/b.test]","Action":"build-fail"}
{"Action":"fail","Package":"m/b","Elapsed":0,"FailedBuild":"m/b [m/b.test]"}
{"Action":"run","Package":"m/c","Test":"TestCrash"}
{"Action":"output","Package":"m/c","Test":"TestCrash","Output":"SIGSEGV\n"}
{"Action":"fail","Package":"m/c","Elapsed":0}
{"Action":"skip","Package":"m/empty","Elapsed":0}
{"Action":"pass","Package":"m/d","Elapsed":0.1}
`

func TestSummarize(t *testing.T) {
	var out strings.Builder
	total, err := summarize(strings.NewReader(sample), &out)
	if err != nil {
		t.Fatal(err)
	}
	if want := (counts{passed: 1, failed: 3, skipped: 1}); total != want {
		t.Errorf("counts %+v, want %+v: one test, a package that does not build, one that crashed", total, want)
	}
	for _, want := range []string{"got 1, want 2", "syntax error", "SIGSEGV", "TestSkipped: a_test.go:20: no GPU", "ok   m/d", "FAIL m/b"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output has no %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "noise") {
		t.Errorf("output of a test that passed is shown:\n%s", out.String())
	}
}

func TestSummarizePassesOnOtherLines(t *testing.T) {
	var out strings.Builder
	if _, err := summarize(strings.NewReader("flag provided but not defined\n"), &out); err != nil || out.String() != "flag provided but not defined\n" {
		t.Errorf("summarize wrote %q, %v", out.String(), err)
	}
}
