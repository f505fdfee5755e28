package page

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// texts makes an audit of n texts.
func texts(t *testing.T, n int) (*audit.Folder, audit.Summary) {
	t.Helper()
	f := expect.Got(audittest.Texts(t.TempDir(), n))(t)
	s := expect.Got(f.Summary())(t)
	return f, s
}

// made returns the page of a folder with its originals.
func made(t *testing.T, f *audit.Folder) string {
	t.Helper()
	originals := expect.Got(audittest.Originals(f))(t)
	return madeOf(t, f, func(id string) own.Original {
		return expect.Got(originals(t.Context(), []string{id}))(t)[0]
	})
}

// madeOf returns the page of a folder with these originals.
func madeOf(t *testing.T, f *audit.Folder, look func(id string) own.Original, twins ...audit.Duplicate) string {
	t.Helper()
	each := func(_ context.Context, ids []string, visit func(int, own.Original) error) error {
		for k, id := range ids { // each is used before the next one is read
			one := look(id)
			if err := visit(k, one); err != nil {
				return err
			}
			clear(one.Image)
		}
		return nil
	}
	found := audittest.Report(t, f)
	found.Twins = twins
	expect.OK(t, Make(t.Context(), f, found, each))
	return page(t, f)
}

func written(t *testing.T, r Report) string {
	t.Helper()
	return string(expect.Got(render(pageTemplate, "page", r))(t))
}

func page(t *testing.T, f *audit.Folder) string {
	t.Helper()
	return string(expect.Got(os.ReadFile(f.Path(audit.ReportFile)))(t))
}

// has checks that a page has texts, or lacks them if want is false.
func has(t *testing.T, page string, want bool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) != want {
			t.Errorf("the page has %q: %v", text, !want)
		}
	}
}

// elsewhere matches anything that a browser would load or run.
var elsewhere = regexp.MustCompile(`(?i)<script|<link rel="stylesheet|src="[^d]|url\(|@import|\son\w+=`)

// The page is one file with the result of the audit and pictures of the worst examples.
func TestImages(t *testing.T) {
	f := expect.Got(audittest.Images(t.TempDir(), 600))(t)
	got := made(t, f)
	issues := expect.Got(f.Issues())(t)
	has(t, got, true, "<p class=\"verdict\">Between ", " of 600 labels look wrong. Check 25 at random to test this.</p>",
		`<img src="data:image/jpeg;base64,`, "1. "+issues[0].ID, "200. "+issues[199].ID, "losscorr review "+f.Dir(),
		"Labels alone do not tell which class row circle of T-hat belongs to.", "Class triangle has few examples",
		"176 more", "has all 600")
	has(t, got, false, "look like no class")
	expect.Same(t, Shown, strings.Count(got, "<img "))
	expect.Same(t, "", elsewhere.FindString(got))
	if again := made(t, f); again != got {
		t.Error("a second page differs")
	}
}

// Images that look like no class have their own section with pictures, most unusual first, even if their labels are
// right.
func TestUnlike(t *testing.T) {
	f := expect.Got(audittest.Images(t.TempDir(), 600))(t)
	issues := expect.Got(f.Issues())(t)
	values := make([]float64, len(issues))
	for k := range issues {
		issues[k].Unusual = &values[k]
	}
	values[0], values[599], values[400], values[500] = .6, .9, .7, .5
	expect.OK(t, f.WriteIssues(issues))
	_, section, _ := strings.Cut(made(t, f), `<section id="unusual">`)
	section, _, _ = strings.Cut(section, "</section>")
	at := 0
	for _, k := range []int{599, 400, 0} {
		next := strings.Index(section[at:], fmt.Sprintf("%d. %s", k+1, issues[k].ID))
		if next < 0 {
			t.Fatalf("no %d, or not in order:\n%s", k, section[:min(len(section), 500)])
		}
		at += next
	}
	expect.Same(t, 3, strings.Count(section, `<img src="data:image/jpeg;base64,`))
}

// The page shows how labels go wrong if there is evidence of it, and corrections if they are worth taking.
func TestWhatIsShown(t *testing.T) {
	f, s := texts(t, 60)
	for _, tt := range []struct {
		evidence    float64
		changes     *audit.Changes
		t, corrects bool
	}{{1000, &audit.Changes{Labels: 1500, Right: 1234.6}, true, true}, {8, nil, true, false},
		{7, &audit.Changes{}, false, false}} {
		s.Evidence.Nats, s.Changes = tt.evidence, tt.changes
		expect.OK(t, f.WriteSummary(&s))
		got := made(t, f)
		has(t, got, tt.t, "How labels go wrong", `<div class="scroll matrix"`)
		has(t, got, tt.corrects, "labels_corrected.csv</code> changes 1,500 labels; about 1,230 of")
		has(t, got, !tt.corrects, "labels_corrected.csv</code> changes only what you decide")
		has(t, got, true, "losscorr review "+f.Dir()+" --random 25", "until 25 labels are checked at random")
		has(t, got, false, `id="random"`)
	}
}

// Random checks give a number instead of a range. The page shows how it narrowed, and how many more checks narrow it
// further.
func TestRandomChecks(t *testing.T) {
	estimate := 123.4
	s := audit.Summary{
		Examples: 1000, Wrong: audit.Wrong{Low: 80, High: 180, Estimate: &estimate},
		Classes: []audit.Class{{Name: "cat", Examples: 600, Wrong: audit.Wrong{Low: 60, High: 90, Estimate: &estimate}},
			{Name: "dog", Examples: 400}},
		Random: &audit.Checked{
			Asked: 30, Checked: 25, Wrong: estimate, Interval: correction.Interval{Low: 80, High: 180}, Right: 20, Changed: 4,
			None: 1, Skipped: 2, Ahead: 3,
			Rounds: []audit.Round{{Checked: 25, Wrong: 123, Low: 80, High: 180}}, More: []audit.More{{Share: .3, Checks: 40},
				{Share: .2, Checks: 90}},
		},
	}
	got := written(t, Report{Dir: "audit", Summary: s})
	has(t, got, true, "12.3 % <span class=\"range\">(90 % interval: 8 to 18)</span>",
		"Of 25 labels drawn at random, people called 20 right and gave another class to 4, no class to 1 (counted as wrong)",
		"; they skipped 2 more", "Waiting for an answer to an earlier check: 3 more", "--random 70</code>",
		"<td>123</td><td class=\"range\">80 to 180</td>", "<td>600</td><td>123</td><td class=\"range\">60 to 90</td>",
		"within 30 % takes about 40 more checks; within 20 % takes about 90")
	has(t, got, false, "--random 25", "until 25 labels") // since these are done
}

// If the data is missing, the page shows the names.
func TestWithoutOriginals(t *testing.T) {
	f := expect.Got(audittest.Texts(t.TempDir(), 50))(t)
	fails := func(context.Context, []string, func(int, own.Original) error) error {
		return errors.New("the disk <is> away")
	}
	found := audittest.Report(t, f)
	expect.OK(t, Make(t.Context(), f, found, fails))
	has(t, page(t, f), true, "The examples cannot be shown: the disk &lt;is&gt; away.", "review-0000")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Fails(t, Make(ctx, f, found, fails), "", context.Canceled, "cancelled")
}

// Names are escaped, and many classes do not fill the page.
func TestManyClasses(t *testing.T) {
	const c = 100
	s := audit.Summary{Examples: 1000, GivenAccuracy: 50, Source: own.Source{Path: `"><script>alert(1)</script>`},
		Command: "losscorr audit x --trusted-column t"}
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		rows[i][i], rows[i][(i+1)%c] = .7, .3
		s.Classes = append(s.Classes, audit.Class{Name: fmt.Sprintf("<i>class %d", i), Examples: 10})
	}
	rows[7][7], rows[7][8] = .1, .9
	matrix := expect.Got(correction.NewMatrix(s.ClassNames(), rows))(t)
	r := Report{Dir: "a b", Summary: s, T: matrix}
	got := written(t, r)
	expect.Same(t, "", elsewhere.FindString(got)) // names are escaped
	has(t, got, false, "<i>class")
	has(t, got, true, "<svg", "losscorr review &#39;a b&#39;", "all 100 classes",
		"<code>losscorr audit x --trusted-column t</code>")
}

// A thumbnail is at most 160 pixels wide and a small file. Other files and huge pictures are errors.
func TestThumbnail(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	photo := image.NewNRGBA(image.Rect(0, 0, 900, 400))
	for k := range photo.Pix {
		photo.Pix[k] = uint8(rng.IntN(256)) | uint8(k%4/3*255)
	}
	var b bytes.Buffer
	expect.OK(t, jpeg.Encode(&b, photo, nil))
	uri := expect.Got(thumbnail(b.Bytes()))(t)
	encoded := strings.TrimPrefix(string(uri), "data:image/jpeg;base64,")
	data := expect.Got(base64.StdEncoding.DecodeString(encoded))(t)
	small, _, err := image.Decode(bytes.NewReader(data))
	if err != nil || small.Bounds().Size() != image.Pt(160, 71) {
		t.Errorf("%v, %v; want 160 x 71", small.Bounds(), err)
	}
	if n := Shown * len(uri); n > 4<<20 {
		t.Errorf("%d such pictures are %d bytes", Shown, n)
	}
	// A PNG that claims to have 40,000 x 40,000 pixels.
	bomb := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x9c\x40\x00\x00\x9c\x40\x08\x06\x00\x00\x00"),
		0x51, 0x0c, 0x0e, 0x05)
	for want, raw := range map[string][]byte{"unknown format": []byte("hello"), "40000 x 40000 pixels": bomb,
		"EOF": b.Bytes()[:200]} {
		expect.Fails(t, expect.Err(thumbnail(raw)), want)
	}
}

// Chances and shares are rounded, but never to certainty.
func TestWords(t *testing.T) {
	for p, want := range map[float64]string{1: "over 99.9 %", .9992: "over 99.9 %", .996: "99.6 %", .82: "82 %",
		.01: "1 %", .0002: "under 0.1 %", 0: "under 0.1 %"} {
		if got := Chance(p); got != "Chance that the label is wrong: "+want {
			t.Errorf("%v: %q, want %s", p, got, want)
		}
	}
	for p, want := range map[float64]string{0: "0", .0004: "0.04", .004: "0.4", .125: "12.5", .05: "5", .88: "88",
		.994: "99", .995: "99.5", .9994: "99.9", .9999: "over 99.9", 1: "100"} {
		if got := percent(p); got != want {
			t.Errorf("percent(%v) = %s, want %s", p, got, want)
		}
	}
}

// The page shows how often several reviewers agree, and how many conflicts are open. Names and texts are escaped.
func TestReviewers(t *testing.T) {
	f, s := texts(t, 50)
	kappa := .5
	s.Reviewed = &audit.Reviewed{Agreements: []audit.Agreement{{First: "<ann>", Second: "bob", Both: 2000, Same: 1500,
		Kappa: &kappa}, {First: "bob", Second: "eve", Both: 1}}, Conflicts: 500}
	expect.OK(t, f.WriteSummary(&s))
	got := made(t, f)
	has(t, got, true,
		`<dt>&lt;ann&gt; and bob agree on</dt><dd>1,500 of 2,000 labels <span class="range">(kappa, agreement beyond chance: 0.50)</span></dd>`,
		`<dt>bob and eve agree on</dt><dd>0 of 1 labels</dd>`,
		`<dt>unsettled conflicts of reviewers</dt><dd>500</dd>`, "&lt;b&gt;My sister &amp; I&lt;/b&gt;")
	has(t, got, false, "<b>My sister")
}

// No label of a consensus is likelier wrong than right, so its page has no F1 and offers no corrections.
func TestConsensus(t *testing.T) {
	f, s := texts(t, 60)
	s.Measured = &audit.Measured{Known: 60, Wrong: 5, AveragePrecision: .75}
	matrix := expect.Got(f.Transition())(t)
	write := func() string { return written(t, Report{Dir: "audit", Summary: s, T: matrix}) }
	single := write()
	s.Crowd, s.Changes = &audit.People{People: 3, Answers: 180}, nil
	consensus := write()
	ofSingle := []string{"F1 above 50 %", "more likely wrong than right", "labels_corrected.csv", "How labels go wrong"}
	ofCrowd := []string{"How answers go wrong", "--ask 100", "consensus.csv", "of their consensus labels are wrong"}
	has(t, single, true, append(ofSingle, "Average precision of the ranking 0.750")...)
	has(t, single, false, ofCrowd...)
	has(t, consensus, true, append(ofCrowd, "Average precision of the ranking 0.750")...)
	has(t, consensus, false, ofSingle...)
	s.Crowd.People, s.Crowd.Asked = 1, 7
	one := write()
	has(t, one, true, `href="annotators.html#ask"`)
	has(t, one, false, "1 people", "several people", "--ask 100")
}

// Pairs of duplicates are shown side by side, each example with its own picture and label.
func TestTwice(t *testing.T) {
	f, s := texts(t, 50)
	similarity := .97654
	all := []audit.Duplicate{{Similarity: &similarity, A: audit.Member{ID: "first", Split: "train", Label: "cat"},
		B: audit.Member{ID: "second", Split: "test", Label: "dog"}}}
	for k := range 20 {
		all = append(all, audit.Duplicate{Exact: true, A: audit.Member{ID: fmt.Sprint("one-", k), Split: "train",
			Label: "cat"}, B: audit.Member{ID: fmt.Sprint("other-", k), Split: "train", Label: "cat"}})
	}
	s.Duplicates = &audit.Duplicates{Pairs: len(all)}
	shown := func() string {
		expect.OK(t, f.WriteSummary(&s))
		return madeOf(t, f, func(id string) own.Original { return own.Original{Text: "look of " + id} }, all...)
	}
	got := shown()
	has(t, got, true,
		`<figure><blockquote>look of first</blockquote>`+"\n"+`<figcaption><b>cat</b><span class="id">train first</span>`,
		`<figure><blockquote>look of second</blockquote>`+"\n"+`<figcaption><b>dog</b><span class="id">test second</span>`,
		"different labels, in two splits, nearly equal, similarity 0.977</p>", "<code>duplicates.csv</code> has all 21.",
		"look of other-10<", `<p class="aside">equal</p>`)
	has(t, got, false, "one-11")
	s.Source.Test = "test.npy" // its examples may have the names of training examples
	got = shown()
	has(t, got, false, "look of first")
	has(t, got, true, "one-11")
	s.Duplicates, all = nil, nil
	has(t, shown(), false, "twice")
}
