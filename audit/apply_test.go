package audit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// tree writes files that hold their own names, and returns their folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "photos")
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, moment, moment); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// below returns the files below a folder with what they hold.
func below(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[filepath.ToSlash(strings.TrimPrefix(path, root+"/"))] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// audited writes the files of an audit of images that are cats and dogs by their folders, of
// which labels has the corrected classes.
func audited(t *testing.T, root string, ids []string, labels ...string) *Folder {
	t.Helper()
	f := At(filepath.Join(t.TempDir(), "audit"))
	s := small()
	s.Source = own.Source{Path: root}
	var issues []Issue
	var list []Label
	for k, id := range ids {
		given := strings.TrimSpace(filepath.Base(filepath.Dir(id)))
		issues = append(issues, Issue{ID: id, Given: given, Suggested: labels[k], PWrong: .5})
		list = append(list, Label{id, labels[k]})
	}
	if err := errors.Join(f.WriteIssues(issues), f.WriteLabels(list), f.WriteSummary(&s)); err != nil {
		t.Fatal(err)
	}
	return f
}

// A copy has each image in the folder of its class by the audit or, before that, by people;
// the test set and other files are as they were, and nothing is lost where names meet.
func TestApply(t *testing.T) {
	judgedOnes := []string{"train/cat/1.jpg", "train/cat/2.jpg", "train/dog /1.jpg", "train/dog /3.jpg", "val/cat/4.jpg", "val/cat/5.jpg", "val/cat/gone.jpg"}
	rest := []string{"test/cat/1.jpg", "train/cat/notes.txt", "train/dog /1-from-cat.jpg"}
	root := tree(t, append(append([]string{".hidden/x.jpg", "train/cat/.DS_Store"}, rest...), judgedOnes[:6]...)...)
	before := below(t, root)
	f := audited(t, root, judgedOnes, "dog", "dog", "dog", "cat", "dog", "dog", "dog")
	decide(t, f,
		Decision{ID: "train/cat/2.jpg", Given: "cat", Label: "cat", Action: Accept, Time: moment},
		Decision{ID: "val/cat/4.jpg", Given: "cat", Label: "dog", Action: Suggested, Time: moment},
		Decision{ID: "val/cat/5.jpg", Given: "cat", Label: "", Action: None, Time: moment},
		Decision{ID: "train/dog /3.jpg", Given: "dog", Label: "", Action: Skip, Time: moment},
		Decision{ID: "train/dog /1.jpg", Given: "cat", Label: "cow", Action: Other, Time: moment}, // of an example with another label
	)
	for _, tt := range []struct {
		options ApplyOptions
		moves   map[string]string // name before and after
		want    Applied
	}{
		{
			ApplyOptions{},
			map[string]string{"train/cat/1.jpg": "train/dog /1-from-cat-2.jpg", "train/dog /3.jpg": "train/cat/3.jpg", "val/cat/4.jpg": "val/dog /4.jpg"},
			Applied{Files: 9, Judged: 6, Moved: 3, ByPeople: 1, Renamed: 1, Undecided: 1, Missing: 1, Stale: 1},
		},
		{
			ApplyOptions{DecisionsOnly: true}, map[string]string{"val/cat/4.jpg": "val/dog /4.jpg"},
			Applied{Files: 9, Judged: 6, Moved: 1, ByPeople: 1, Undecided: 1, Missing: 1, Stale: 1},
		},
	} {
		for _, link := range append([]Link{""}, Links...) {
			to := filepath.Join(t.TempDir(), "new", "copy")
			tt.options.Link = link
			got, err := f.Apply(t.Context(), to, tt.options)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%+v: %v (-want +got)\n%s", tt.options, err, diff)
			}
			want := map[string]string{}
			for _, name := range append(rest, judgedOnes[:6]...) {
				at := name
				if moved := tt.moves[name]; moved != "" {
					at = moved
				}
				want[at] = name
				info, err := os.Lstat(filepath.Join(to, at))
				if err != nil {
					t.Error(err)
				} else if symbolic := info.Mode().Type() == fs.ModeSymlink; symbolic != (link == Symbolic) {
					t.Errorf("%s, %q: %v", at, link, info.Mode())
				}
				own, err := os.Stat(filepath.Join(root, name))
				if err != nil {
					t.Fatal(err)
				}
				if now, err := os.Stat(filepath.Join(to, at)); err != nil || os.SameFile(own, now) != (link != "") || !now.ModTime().Equal(moment) {
					t.Errorf("%s, %q: %v", at, link, err)
				}
			}
			if diff := cmp.Diff(want, below(t, to)); diff != "" {
				t.Errorf("%+v (-want +got)\n%s", tt.options, diff)
			}
		}
	}
	if diff := cmp.Diff(before, below(t, root)); diff != "" {
		t.Errorf("the data (-before +after)\n%s", diff)
	}
}

// What Apply cannot do is an error, and leaves nothing.
func TestApplyRefuses(t *testing.T) {
	ids := []string{"cat/1.jpg", "dog/2.jpg", "dog/3.jpg"}
	root := tree(t, ids...)
	labels := []string{"cat", "cat", "dog"}
	f := audited(t, root, ids, labels...)
	full := tree(t, "x")
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, linked); err != nil {
		t.Fatal(err)
	}
	of := func(change func(*Summary)) *Folder {
		f := audited(t, root, ids, labels...)
		s, err := f.Summary()
		if err != nil {
			t.Fatal(err)
		}
		change(&s)
		if err := f.WriteSummary(&s); err != nil {
			t.Fatal(err)
		}
		return f
	}
	described := tree(t, append(ids, "metadata.csv")...)
	packed := tree(t, "a.zip")
	for _, tt := range []struct {
		folder   *Folder
		to, want string
		data     bool
	}{
		{f, full, "is not empty", false},
		{f, filepath.Join(root, "new"), "is inside of the data", false},
		{f, root, "is not empty", false},
		{f, filepath.Join(linked, "a", "b"), "is inside of the data", false},
		{of(func(s *Summary) { s.Source.Labels = "y.csv" }), "", LabelsFile, true},
		{of(func(s *Summary) { s.Source = own.Source{Labels: "y.csv"} }), "", LabelsFile, true},
		{of(func(s *Summary) { s.Source = own.Source{Path: "t.csv", Text: "text"} }), "", LabelsFile, true},
		{of(func(s *Summary) { s.Source.Path = described }), "", LabelsFile, true},
		{of(func(s *Summary) { s.Source.Path = filepath.Join(packed, "a.zip") }), "", LabelsFile, true},
		{audited(t, root, ids, "cat", "../..", "dog"), "", "is no class", true},
	} {
		to := tt.to
		if to == "" {
			to = filepath.Join(t.TempDir(), "copy")
		}
		if _, err := tt.folder.Apply(t.Context(), to, ApplyOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, dataset.ErrData) != tt.data {
			t.Errorf("%v, want %q", err, tt.want)
		}
		if _, err := os.Stat(to); tt.to == "" && err == nil {
			t.Errorf("%q: a copy is there", tt.want)
		}
	}
}

// A copy that cannot be finished does not stay, and another's that is not finished is left alone.
func TestApplyUnfinished(t *testing.T) {
	ids, labels := []string{"cat/1.jpg", "dog/2.jpg", "dog/3.jpg"}, []string{"cat", "cat", "dog"}
	root := tree(t, ids...)
	f := audited(t, root, ids, labels...)
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(errKilled)
	broken := tree(t, ids...)
	if err := os.Symlink("nowhere", filepath.Join(broken, "dog", "4.jpg")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ctx  context.Context
		root string
		want error
	}{{stopped, root, errKilled}, {t.Context(), broken, fs.ErrNotExist}} {
		to := filepath.Join(t.TempDir(), "copy")
		if _, err := audited(t, tt.root, ids, labels...).Apply(tt.ctx, to, ApplyOptions{}); !errors.Is(err, tt.want) {
			t.Errorf("%v, want %v", err, tt.want)
		}
		if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.Mkdir(to+partial, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(t.Context(), to, ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "copy.partial is there") {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(to+partial), os.Mkdir(to, 0o777)); err != nil { // an empty folder is taken
		t.Fatal(err)
	}
	if done, err := f.Apply(t.Context(), to, ApplyOptions{}); err != nil || done.Moved != 1 {
		t.Errorf("%+v, %v", done, err)
	}
}

// A file that has another content than the audit judged keeps its folder, and is counted.
func TestApplyOfReplacedFiles(t *testing.T) {
	names := []string{"cat/1.jpg", "cat/2.jpg", "dog/1.jpg"}
	root := tree(t, names...)
	f := audited(t, root, names, "dog", "dog", "dog")
	var sums []uint64
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, own.ContentHash(raw))
	}
	sums[1]++ // of what was there before
	if err := f.WriteSums(sums); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	got, err := f.Apply(t.Context(), to, ApplyOptions{})
	if diff := cmp.Diff(Applied{Files: 3, Judged: 3, Moved: 1, Renamed: 1, Replaced: 1}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := os.Stat(filepath.Join(to, "cat/2.jpg")); err != nil {
		t.Error(err)
	}
}
