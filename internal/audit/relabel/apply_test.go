package relabel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// tree writes files with their own names as content, and returns their folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "photos")
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		datasettest.Put(t, path, name)
		expect.OK(t, os.Chtimes(path, audittest.Moment, audittest.Moment))
	}
	return root
}

// below returns the files below a folder with their contents.
func below(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	expect.OK(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			data, failed := os.ReadFile(path)
			files[filepath.ToSlash(strings.TrimPrefix(path, root+"/"))], err = string(data), failed
		}
		return err
	}))
	return files
}

// audited writes the files of an audit of images in the folders cat and dog; labels has the corrected
// classes.
func audited(t *testing.T, root string, ids []string, labels ...string) *audit.Folder {
	t.Helper()
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	s := audit.Summary{Source: own.Source{Path: root}, Examples: 3, Classes: []audit.Class{{Name: "cat", Examples: 2},
		{Name: "dog", Examples: 1}}}
	var issues []audit.Issue
	var list []audit.Label
	for k, id := range ids {
		given := "cat"
		if strings.Contains(id, "dog") {
			given = "dog"
		}
		issues = append(issues, audit.Issue{ID: id, Given: given, Suggested: labels[k], PWrong: .5})
		list = append(list, audit.Label{ID: id, Label: labels[k]})
	}
	expect.OK(t, f.WriteIssues(issues), f.WriteLabels(list), f.WriteSummary(&s))
	return f
}

// applied makes a copy, and returns its folder.
func applied(t *testing.T, f *audit.Folder, options Options) (string, Exported) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "new", "copy")
	done := expect.Got(Export(t.Context(), f, FolderForm, to+"/", options))(t)
	expect.Same(t, FolderForm, done.Form)
	done.Schema, done.Form = 0, ""
	return to, done
}

// A copy has each image in the folder of its class by people or else by the audit. The test set and other
// files stay as they were, and no file is lost if names collide.
func TestApply(t *testing.T) {
	judgedOnes := []string{"train/cat/1.jpg", "train/cat/2.jpg", "train/dog /1.jpg", "train/dog /3.jpg", "val/cat/4.jpg",
		"val/cat/5.jpg", "val/cat/gone.jpg"}
	rest := []string{"test/cat/1.jpg", "train/cat/notes.txt", "train/dog /1-from-cat.jpg"}
	root := tree(t, append(append([]string{".hidden/x.jpg", "train/cat/.DS_Store"}, rest...), judgedOnes[:6]...)...)
	before := below(t, root)
	f := audited(t, root, judgedOnes, "dog", "dog", "dog", "cat", "dog", "dog", "dog")
	audittest.Decide(t, f,
		audit.Decision{ID: "train/cat/2.jpg", Given: "cat", Label: "cat", Action: audit.Accept, Time: audittest.Moment},
		audit.Decision{ID: "val/cat/4.jpg", Given: "cat", Label: "dog", Action: audit.Suggested, Time: audittest.Moment},
		audit.Decision{ID: "val/cat/5.jpg", Given: "cat", Label: "", Action: audit.None, Time: audittest.Moment},
		audit.Decision{ID: "train/dog /3.jpg", Given: "dog", Label: "", Action: audit.Skip, Time: audittest.Moment},
		// about another label of the example
		audit.Decision{ID: "train/dog /1.jpg", Given: "cat", Label: "cow", Action: audit.Other, Time: audittest.Moment},
	)
	for _, tt := range []struct {
		options Options
		moves   map[string]string // name before and after
		want    Exported
	}{
		{
			Options{},
			map[string]string{"train/cat/1.jpg": "train/dog /1-from-cat-2.jpg", "train/dog /3.jpg": "train/cat/3.jpg",
				"val/cat/4.jpg": "val/dog /4.jpg"},
			Exported{Files: 9, Tasks: 6, Corrections: 3, ByPeople: 1, Renamed: 1, Undecided: 1, Missing: 1, Stale: 1},
		},
		{
			Options{DecisionsOnly: true}, map[string]string{"val/cat/4.jpg": "val/dog /4.jpg"},
			Exported{Files: 9, Tasks: 6, Corrections: 1, ByPeople: 1, Undecided: 1, Missing: 1, Stale: 1},
		},
	} {
		for _, link := range append([]string{""}, Links...) {
			tt.options.Link = link
			to, got := applied(t, f, tt.options)
			expect.Same(t, tt.want, got)
			want := map[string]string{}
			for _, name := range append(rest, judgedOnes[:6]...) {
				at := cmp.Or(tt.moves[name], name)
				want[at] = name
				entry := expect.Got(os.Lstat(filepath.Join(to, at)))(t)
				now := expect.Got(os.Stat(filepath.Join(to, at)))(t)
				same := os.SameFile(expect.Got(os.Stat(filepath.Join(root, name)))(t), now)
				symbolic := entry.Mode().Type() == fs.ModeSymlink
				if symbolic != (link == Links[0]) || same != (link != "") || !now.ModTime().Equal(audittest.Moment) {
					t.Errorf("%s, %q: %v, of %v", at, link, entry.Mode(), now.ModTime())
				}
			}
			expect.Same(t, want, below(t, to))
		}
	}
	expect.Same(t, before, below(t, root))
}

// Images deeper in the folder of their class, or in a linked one, keep their paths inside the folder.
func TestApplyDeeperFolders(t *testing.T) {
	ids := []string{"cat/2017/1.jpg", "cat/2017/2.jpg", "dog/3.jpg", "dog/dog/4.jpg"}
	root := tree(t, ids[0], ids[1], "../store/3.jpg", "../store/dog/4.jpg")
	expect.OK(t, os.Symlink("../store", filepath.Join(root, "dog")))
	f := audited(t, root, ids, "cat", "dog", "cat", "cat")
	to, _ := applied(t, f, Options{})
	expect.Same(t, map[string]string{
		"cat/2017/1.jpg": ids[0], "dog/2017/2.jpg": ids[1],
		"cat/3.jpg": "../store/3.jpg", "cat/dog/4.jpg": "../store/dog/4.jpg",
	}, below(t, to))
}

// If a copy fails, it returns an error and leaves no files.
func TestApplyRefuses(t *testing.T) {
	ids := []string{"cat/1.jpg", "dog/2.jpg", "dog/3.jpg"}
	root := tree(t, ids...)
	labels := []string{"cat", "cat", "dog"}
	f := audited(t, root, ids, labels...)
	full := tree(t, "x")
	linked := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink(root, linked))
	of := func(change func(*audit.Summary)) *audit.Folder {
		f := audited(t, root, ids, labels...)
		s := expect.Got(f.Summary())(t)
		change(&s)
		expect.OK(t, f.WriteSummary(&s))
		return f
	}
	described := tree(t, append(ids, "metadata.csv")...)
	packed := tree(t, "a.zip")
	for _, tt := range []struct {
		folder   *audit.Folder
		to, want string
		data     bool
	}{
		{f, full, "is not empty", false},
		{f, filepath.Join(root, "new"), "is inside the data", false},
		{f, filepath.Join(linked, "a", "b"), "is inside the data", false},
		{of(func(s *audit.Summary) { s.Source.Labels = "y.csv" }), "", audit.LabelsFile, true},
		{of(func(s *audit.Summary) { s.Source = own.Source{Labels: "y.csv"} }), "", audit.LabelsFile, true},
		{of(func(s *audit.Summary) { s.Source.Path = described }), "", audit.LabelsFile, true},
		{of(func(s *audit.Summary) { s.Source.Path = filepath.Join(packed, "a.zip") }), "", audit.LabelsFile, true},
		{audited(t, root, ids, "cat", "../..", "dog"), "", "unknown class", true},
	} {
		to := cmp.Or(tt.to, filepath.Join(t.TempDir(), "copy"))
		_, err := Export(t.Context(), tt.folder, FolderForm, to, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, dataset.ErrData) != tt.data {
			t.Errorf("%v, want %q", err, tt.want)
		}
		if _, err := os.Stat(to); tt.to == "" && err == nil {
			t.Errorf("%q: a copy is there", tt.want)
		}
	}
}

// An unfinished copy is removed, but not an unfinished copy of another process.
func TestApplyUnfinished(t *testing.T) {
	ids, labels := []string{"cat/1.jpg", "dog/2.jpg", "dog/3.jpg"}, []string{"cat", "cat", "dog"}
	root := tree(t, ids...)
	f := audited(t, root, ids, labels...)
	errStopped := errors.New("stopped")
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	broken := tree(t, ids...)
	expect.OK(t, os.Symlink("nowhere", filepath.Join(broken, "dog", "4.jpg")))
	for _, tt := range []struct {
		ctx  context.Context
		root string
		want error
	}{{stopped, root, errStopped}, {t.Context(), broken, fs.ErrNotExist}} {
		to := filepath.Join(t.TempDir(), "copy")
		_, err := Export(tt.ctx, audited(t, tt.root, ids, labels...), FolderForm, to, Options{})
		expect.Fails(t, err, "", tt.want)
		if left := expect.Got(os.ReadDir(filepath.Dir(to)))(t); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	to := filepath.Join(t.TempDir(), "copy")
	expect.OK(t, os.Mkdir(to+partial, 0o777))
	_, err := Export(t.Context(), f, FolderForm, to, Options{})
	expect.Says(t, err, "copy.partial exists")
	expect.OK(t, os.Remove(to+partial), os.Mkdir(to, 0o777)) // an empty folder may exist
	expect.Same(t, 1, expect.Got(Export(t.Context(), f, FolderForm, to, Options{}))(t).Corrections)
}

// A file whose content has changed since the audit keeps its folder, and is counted.
func TestApplyOfReplacedFiles(t *testing.T) {
	names := []string{"cat/1.jpg", "cat/2.jpg", "dog/1.jpg"}
	root := tree(t, names...)
	f := audited(t, root, names, "dog", "dog", "dog")
	var sums []uint64
	for _, name := range names {
		sums = append(sums, own.ContentHash([]byte(name)))
	}
	sums[1]++ // as for another content
	expect.OK(t, f.WriteSums(sums))
	to, got := applied(t, f, Options{})
	expect.Same(t, Exported{Files: 3, Tasks: 3, Corrections: 1, Renamed: 1, Replaced: 1}, got)
	expect.Got(os.Stat(filepath.Join(to, "cat/2.jpg")))(t)
}

// The copy keeps numbers as the names of folders.
func TestApplyNamedClasses(t *testing.T) {
	root := tree(t, "train/0/1.jpg", "train/0/2.jpg", "train/1/3.jpg", "test/1/4.jpg")
	f := audited(t, root, []string{"train/0/1.jpg", "train/0/2.jpg", "train/1/3.jpg"}, "cat", "dog", "dog")
	s := expect.Got(f.Summary())(t)
	s.Source.ClassNames = []string{"0=cat", "1=dog"}
	issues := []audit.Issue{
		{ID: "train/0/1.jpg", Given: "cat", Suggested: "cat"}, {ID: "train/0/2.jpg", Given: "cat", Suggested: "dog"},
		{ID: "train/1/3.jpg", Given: "dog", Suggested: "dog"},
	}
	expect.OK(t, f.WriteSummary(&s), f.WriteIssues(issues))
	audittest.Decide(t, f, audit.Decision{ID: "train/1/3.jpg", Given: "1", Label: "0", Action: audit.Other,
		Time: audittest.Moment})
	to, _ := applied(t, f, Options{})
	expect.Same(t, map[string]string{
		"train/0/1.jpg": "train/0/1.jpg", "train/1/2.jpg": "train/0/2.jpg", "train/0/3.jpg": "train/1/3.jpg",
		"test/1/4.jpg": "test/1/4.jpg",
	}, below(t, to))
}

// A copy has the audit's label if reviewers disagree, and the settled label if they have settled it.
func TestApplyOfConflict(t *testing.T) {
	names := []string{"cat/1.jpg", "cat/2.jpg", "dog/3.jpg"}
	root := tree(t, names...)
	f := audited(t, root, names, "dog", "dog", "dog")
	for _, id := range names[:2] {
		audittest.Decide(t, f,
			audit.Decision{ID: id, Given: "cat", Label: "cat", Action: audit.Accept, Time: audittest.Moment, Reviewer: "ann"},
			audit.Decision{ID: id, Given: "cat", Label: "dog", Action: audit.Other, Time: audittest.Moment, Reviewer: "bob"})
	}
	audittest.Decide(t, f, audit.Decision{
		ID: names[1], Given: "cat", Label: "cat", Action: audit.Accept, Time: audittest.Moment,
		Reviewer: "bob", Why: audit.Settlement,
	})
	to, done := applied(t, f, Options{})
	if done.Conflicts != 1 || done.Corrections != 1 || done.ByPeople != 0 {
		t.Errorf("%+v", done)
	}
	expect.Got(os.Stat(filepath.Join(to, "cat/2.jpg")))(t)
	expect.Got(os.Stat(filepath.Join(to, "dog/1.jpg")))(t)
}

// consensus turns an audit into one of a consensus of answers.
func consensus(t *testing.T, f *audit.Folder, source string, given ...string) {
	t.Helper()
	issues := expect.Got(f.Issues())(t)
	for k, label := range given {
		issues[k].Given, issues[k].Suggested = label, label
	}
	s := audit.Summary{Crowd: &audit.People{}, Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}}}
	s.Source = own.Source{Path: source, Labels: f.Path(audit.RunsDir, audit.VotesFile)}
	expect.OK(t, f.WriteIssues(issues), f.WriteSummary(&s))
}

// A copy has each image in the folder of its consensus class, unless people have decided.
func TestApplyConsensus(t *testing.T) {
	ids := []string{"cat/1.jpg", "cat/2.jpg", "dog/3.jpg", "dog/4.jpg", "cat/5.jpg"}
	root := tree(t, ids...)
	f := audited(t, root, ids, "cat", "dog", "dog", "cat", "dog")
	consensus(t, f, root, "cat", "dog", "dog", "cat", "dog")
	audittest.Decide(t, f,
		audit.Decision{ID: "cat/1.jpg", Given: "cat", Label: "dog", Action: audit.Other, Time: audittest.Moment},
		audit.Decision{ID: "cat/2.jpg", Given: "dog", Label: "cat", Action: audit.Other, Time: audittest.Moment},
		audit.Decision{ID: "cat/5.jpg", Given: "dog", Action: audit.Ambiguous, Time: audittest.Moment},
	)
	for _, tt := range []struct {
		decisionsOnly bool
		want          []string
		applied       Exported
	}{
		{false, []string{"cat/2.jpg", "cat/4.jpg", "cat/5.jpg", "dog/1.jpg", "dog/3.jpg"},
			Exported{Files: 5, Tasks: 5, Corrections: 2, ByPeople: 1, Undecided: 1}},
		{true, []string{"cat/2.jpg", "cat/5.jpg", "dog/1.jpg", "dog/3.jpg", "dog/4.jpg"},
			Exported{Files: 5, Tasks: 5, Corrections: 1, ByPeople: 1, Undecided: 1}},
	} {
		to, got := applied(t, f, Options{DecisionsOnly: tt.decisionsOnly})
		expect.Same(t, tt.applied, got)
		expect.Same(t, tt.want, slices.Sorted(maps.Keys(below(t, to))))
	}
	other := tree(t, "batch/1.jpg")
	f = audited(t, other, []string{"batch/1.jpg"}, "cat")
	consensus(t, f, other, "cat")
	_, err := Export(t.Context(), f, FolderForm, filepath.Join(t.TempDir(), "copy"), Options{})
	expect.Says(t, err, "is not a class of the answers")
}

// Annotations get the classes of the consensus or, with --decisions-only, only decided ones.
func TestExportConsensus(t *testing.T) {
	root := t.TempDir()
	datasettest.Put(t, filepath.Join(root, "a.png"), datasettest.PNG(t, 20, 9, color.White))
	boxes := func(classes ...int) string {
		var list []string
		for k, c := range classes {
			list = append(list, fmt.Sprintf(`{"id":%d,"bbox":[1,1,3,3],"image_id":9,"category_id":%d}`, k, c))
		}
		return `{"images":[{"id":9,"file_name":"a.png"}],"annotations":[` + strings.Join(list, ",") +
			`],"categories":[{"id":0,"name":"cat"},{"id":1,"name":"dog"}]}`
	}
	source := filepath.Join(root, "boxes.json")
	datasettest.Put(t, source, boxes(0, 0, 1, 1))
	f := audited(t, root, []string{"a.png#0", "a.png#1", "a.png#2", "a.png#3"}, "cat", "dog", "dog", "cat")
	consensus(t, f, source, "cat", "dog", "dog", "cat")
	audittest.Decide(t, f,
		audit.Decision{ID: "a.png#0", Given: "cat", Label: "dog", Action: audit.Other, Time: audittest.Moment},
		audit.Decision{ID: "a.png#3", Given: "cat", Label: "cat", Action: audit.Accept, Time: audittest.Moment},
	)
	for _, tt := range []struct {
		decisionsOnly         bool
		want                  string
		corrections, byPeople int
	}{{false, boxes(1, 1, 1, 0), 3, 2}, {true, boxes(1, 0, 1, 0), 2, 2}} {
		out := filepath.Join(t.TempDir(), "out.json")
		e, err := Export(t.Context(), f, "coco", out, Options{DecisionsOnly: tt.decisionsOnly})
		if err != nil || e.Corrections != tt.corrections || e.ByPeople != tt.byPeople || e.Stale != 0 {
			t.Errorf("%+v, %v", e, err)
		}
		expect.Same(t, tt.want, string(expect.Got(os.ReadFile(out))(t)))
	}
}
