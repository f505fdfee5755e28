package find

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// errKilled ends an audit in the middle.
var errKilled = errors.New("killed")

func stopped(source own.Source) *work {
	c := config.Config{Folds: config.Folds{Count: 2}}
	c.Source = source
	return &work{
		Networks: c, Host: Host{Note: func(string) {}, Train: func(store.Plan, string) error { return errKilled }},
		Data: &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1}},
			Files: []dataset.File{{Path: "a", SHA256: "1"}}},
	}
}

// The folder of a killed audit refuses an audit of other data.
func TestOneFolderForOneData(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	if f.Begun() {
		t.Error("an empty folder has an audit")
	}
	run := func(s own.Source) error {
		_, err := stopped(s).run(t.Context(), audit.At(f.Dir()))
		return err
	}
	first := own.Source{Path: "/a", Labels: "/y.csv"}
	if err := run(first); !errors.Is(err, errKilled) || !f.Begun() {
		t.Fatal(err)
	}
	for _, same := range []own.Source{first, {Path: "/a", Labels: "/y.csv", Label: "label", Side: 8}} {
		if err := run(same); !errors.Is(err, errKilled) {
			t.Errorf("%v: %v", same, err)
		}
	}
	for _, s := range []own.Source{{Path: "/b", Labels: "/y.csv"}, {Path: "/a"}, {Path: "/a", Labels: "/y.csv",
		ID: "name"}} {
		expect.Says(t, run(s), "holds the audit of /a --labels /y.csv: choose another folder")
	}
	datasettest.Put(t, f.Path(audit.SourceFile), `{"source": "mine"}`)
	expect.Says(t, run(first), "not written by an audit")
}

// Two audits cannot run in one folder at the same time.
func TestFolderIsLocked(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	expect.OK(t, f.Lock())
	if err := audit.At(f.Dir()).Lock(); !errors.Is(err, audit.ErrBusy) {
		t.Errorf("a second audit: %v", err)
	}
	expect.OK(t, f.Unlock(), audit.At(f.Dir()).Lock())
}
