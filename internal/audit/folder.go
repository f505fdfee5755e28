package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// The files of an audit's folder; see the package's documentation.
const (
	SummaryFile       = "summary.json"
	IssuesFile        = "issues.csv"
	DuplicatesFile    = "duplicates.csv"
	UnreadableFile    = "unreadable.csv"
	TransitionFile    = "T_hat.csv"
	ProbabilitiesFile = "probabilities.npy"
	NoisyFile         = "noisy_probabilities.npy"
	LabelsFile        = "labels_corrected.csv"
	ReportFile        = "report.html"
	DecisionsFile     = "decisions.jsonl"
	ConflictsFile     = "conflicts.csv"
	SourceFile        = "source.json"
	ConsensusFile     = "consensus.csv"
	AnswersFile       = "answers.csv"
	AnnotatorsFile    = "annotators.csv"
	AnnotatorsTFile   = "T_annotators.npy"
	AskFile           = "ask.csv"
	LikelihoodsFile   = "likelihoods.npy"
	PeopleFile        = "annotators.html"
	SumsFile          = "content_hashes.npy"
	AcceptanceFile    = "acceptance.npy"
	CertificateFile   = "certificate.json"
	AcceptancePage    = "acceptance.html"
	RunsDir           = "runs"
)

// Results are the files that an audit replaces.
var Results = []string{SummaryFile, IssuesFile, DuplicatesFile, TransitionFile, ProbabilitiesFile, NoisyFile,
	LabelsFile, SumsFile, ReportFile}

// CrowdResults are the further files of an audit of several people's answers.
var CrowdResults = []string{ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile,
	PeopleFile}

// Folder is the folder of an audit. Each file has one writer and one reader here. Files are replaced
// atomically; decisions.jsonl only grows.
type Folder struct {
	dir  string
	lock *flock.Flock // nil unless this Folder holds the lock
}

// At returns the folder of an audit. It need not exist.
func At(dir string) *Folder { return &Folder{dir: dir} }

// Open opens the folder of a finished audit, which has a summary.json.
func Open(dir string) (*Folder, error) {
	f := At(dir)
	switch _, err := os.Stat(f.Path(SummaryFile)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, dataset.Errorf("no %s in %s: finish an audit there first (losscorr audit)", SummaryFile, dir)
	case err != nil:
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	return f, nil
}

// Begun reports whether an audit has begun in the folder: whether source.json exists.
func (f *Folder) Begun() bool {
	_, err := os.Stat(f.Path(SourceFile))
	return err == nil
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Path returns the path of a file in the folder.
func (f *Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{f.dir}, elem...)...)
}

// WriteTransition writes T_hat.csv.
func (f *Folder) WriteTransition(t *correction.Matrix) error {
	if err := f.make(); err != nil {
		return err
	}
	return t.WriteCSV(f.Path(TransitionFile))
}

// Transition reads T_hat.csv.
func (f *Folder) Transition() (*correction.Matrix, error) {
	t, err := correction.ReadMatrixCSV(f.Path(TransitionFile))
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return t, nil
}

// WritePage writes report.html or another page.
func (f *Folder) WritePage(name string, page []byte) error { return f.write(name, page) }

// make makes the folder.
func (f *Folder) make() error {
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the audit: %w", err)
	}
	return nil
}

// write replaces a file: after a crash it holds the old content or the new one.
func (f *Folder) write(name string, data []byte) error {
	if err := f.make(); err != nil {
		return err
	}
	if err := files.Write(f.Path(name), data, 0o666); err != nil {
		return fmt.Errorf("write %s: %w", f.Path(name), err)
	}
	return nil
}

// read reads a file. The error of a missing or damaged one is dataset.ErrData.
func (f *Folder) read(name string) ([]byte, error) {
	data, err := files.Read(f.Path(name), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.missing(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path(name), err)
	}
	return data, nil
}

// missing returns the error for a missing file of the folder.
func (f *Folder) missing(name string) error {
	return dataset.Errorf("no %s in %s: run the audit again, which keeps its networks", name, f.dir)
}

// damaged returns an error that names the file and what is wrong with it.
func (f *Folder) damaged(name, format string, args ...any) error {
	return dataset.Errorf("%s: %w", f.Path(name), fmt.Errorf(format, args...))
}

// savingDir holds the files of an audit until all are written.
const savingDir = ".saving"

// Replace replaces the files of the folder with those that fill writes into another one. It writes all of them first,
// so that a full disk does not damage the old result. Then it removes the old summary.json and report.html, which would
// describe other files, and old files that may not be written again, and moves the new ones into their place,
// summary.json last. Tables that no audit wrote stay, unless a new one has their name.
func (f *Folder) Replace(fill func(next *Folder) error) (err error) {
	next := At(f.Path(savingDir))
	if err := os.RemoveAll(next.dir); err != nil { // left by a killed process
		return fmt.Errorf("save the audit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next.dir)) }()
	if err := next.make(); err != nil {
		return err
	}
	if err := fill(next); err != nil {
		return err
	}
	old := []string{SummaryFile, ReportFile, SumsFile, TransitionFile}
	for _, name := range saved {
		if columns[name] != nil && f.Spare(name) == nil {
			old = append(old, name)
		}
	}
	for _, name := range old {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	for _, name := range slices.Backward(saved) {
		err := os.Rename(next.Path(name), f.Path(name))
		if errors.Is(err, fs.ErrNotExist) { // not every audit writes all of them
			continue
		}
		if err == nil {
			err = files.Sync(f.Path(name))
		}
		if err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	return nil
}

// saved are the files of an audit, summary.json first.
var saved = slices.Concat(Results, []string{UnreadableFile}, CrowdResults)

// Free returns an error if a user's output file exists.
func Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: choose another file", path)
	}
	return nil
}
