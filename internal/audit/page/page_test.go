package page

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

func made(t *testing.T, f *audit.Folder, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	look, err := audittest.Originals(f)
	if err != nil {
		t.Fatal(err)
	}
	each := func(ctx context.Context, ids []string, visit func(int, own.Original) error) error {
		for k, id := range ids { // each is used before the next one is there
			one, err := look(ctx, []string{id})
			if err == nil {
				err = visit(k, one[0])
				clear(one[0].Image)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := Make(t.Context(), f, each); err != nil {
		t.Fatal(err)
	}
	return page(t, f)
}

func page(t *testing.T, f *audit.Folder) string {
	t.Helper()
	data, err := os.ReadFile(f.Path(audit.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// elsewhere is what a browser would load, or run.
var elsewhere = regexp.MustCompile(`(?i)<script|<link rel="stylesheet|src="[^d]|url\(|@import|\son\w+=`)

func TestImages(t *testing.T) {
	f, err := audittest.Images(t.TempDir(), 600)
	got := made(t, f, err)
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"of 600 labels would be wrong. People&#39;s mistakes are often more: check 50 labels at random to know.", `<img src="data:image/jpeg;base64,`, "1. " + issues[0].ID, "200. " + issues[199].ID,
		"losscorr review " + f.Dir(), "Labels alone do not tell which class row circle of T-hat belongs to.", "Class triangle has few examples", "176 more", "has all 600",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(got, "<img "); n != Shown {
		t.Errorf("%d pictures, want %d", n, Shown)
	}
	if found := elsewhere.FindString(got); found != "" {
		t.Errorf("the page has %q", found)
	}
	if again := made(t, f, nil); again != got {
		t.Error("a second page differs")
	}
}

// Images that look like no class have a section of their own with their pictures, the most unusual first, also those
// that are no wrong labels.
func TestUnlike(t *testing.T) {
	f, err := audittest.Images(t.TempDir(), 600)
	if before := made(t, f, err); strings.Contains(before, "look like no class") {
		t.Error("a section of nothing")
	}
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(issues))
	for k := range issues {
		issues[k].Unusual = &values[k]
	}
	values[0], values[599], values[400], values[500] = .6, .9, .7, .5
	if err := f.WriteIssues(issues); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(made(t, f, nil), `<section id="unusual">`)
	section, _, _ = strings.Cut(section, "</section>")
	at := 0
	for _, k := range []int{599, 400, 0} {
		next := strings.Index(section[at:], fmt.Sprintf("%d. %s", k+1, issues[k].ID))
		if next < 0 {
			t.Fatalf("no %d, or not in order:\n%s", k, section[:min(len(section), 500)])
		}
		at += next
	}
	if n := strings.Count(section, `<img src="data:image/jpeg;base64,`); n != 3 {
		t.Errorf("%d pictures, want 3", n)
	}
	for k := range values {
		values[k] = .8
	}
	if err := f.WriteIssues(issues); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(made(t, f, nil), "<img "); n != Shown+open {
		t.Errorf("%d pictures, want %d", n, Shown+open)
	}
}

// The page says what checking labels does, with the figures that were measured.
func TestGain(t *testing.T) {
	file, err := os.Open("../../../results/audit/loop.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	data, answers, precision := slices.Index(records[0], "data"), slices.Index(records[0], "answers"), slices.Index(records[0], "average_precision")
	measured := map[string]string{}
	for _, r := range records[1:] {
		v, err := strconv.ParseFloat(r[precision], 64)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(r[data], ",")
		measured[name+" "+r[answers]] = strings.TrimPrefix(fmt.Sprintf("%.3f", v), "0")
	}
	of := func(data string) []any {
		return []any{measured[data+" 0"], measured[data+" 20"], measured[data+" 100"]}
	}
	want := fmt.Sprintf("rose from %s to %s after 20 checked labels and %s after 100 on 2,000 photos,", of("2000 photos")...) +
		fmt.Sprintf(" and from %s to %s and %s on losscorr demo.", of("losscorr demo")...)
	for _, weak := range []bool{false, true} {
		var b bytes.Buffer
		if err := Write(&b, Report{Summary: audit.Summary{Examples: 9, Weak: weak}}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), want) == weak {
			t.Errorf("weak %v: the page has %q: %v", weak, want, !weak)
		}
	}
}

func TestTexts(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 700)
	got := made(t, f, err)
	if !strings.Contains(got, "&lt;b&gt;My sister &amp; I&lt;/b&gt;") || strings.Contains(got, "<b>My sister") {
		t.Error("text is not escaped")
	}
}

// Data that has moved away leaves the names.
func TestWithoutOriginals(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(context.Context, []string, func(int, own.Original) error) error {
		return errors.New("the disk <is> away")
	}
	if err := Make(t.Context(), f, fails); err != nil {
		t.Fatal(err)
	}
	if got := page(t, f); !strings.Contains(got, "The examples cannot be shown: the disk &lt;is&gt; away.") || !strings.Contains(got, "review-0000") {
		t.Error("no word of it, or no names")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Make(ctx, f, fails); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Names do not leave their place, and many classes do not fill the page.
func TestManyClasses(t *testing.T) {
	const c = 100
	s := audit.Summary{Examples: 1000, ExpectedWrong: 100, GivenAccuracy: 50, Source: own.Source{Path: `"><script>alert(1)</script>`}, Command: "losscorr audit x --trusted-column t --trusted y"}
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		rows[i][i], rows[i][(i+1)%c] = .7, .3
		s.Classes = append(s.Classes, audit.Class{Name: fmt.Sprintf("<i>class %d", i), Examples: 10, ExpectedWrong: 1})
	}
	rows[7][7], rows[7][8] = .1, .9
	s.T, s.TLow, s.THigh = rows, rows, rows
	var b bytes.Buffer
	if err := Write(&b, Report{Dir: "a b", Summary: s}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if found := elsewhere.FindString(got); found != "" || strings.Contains(got, "<i>class") {
		t.Errorf("names are not escaped: %s", found)
	}
	for _, want := range []string{"<svg", "losscorr review &#39;a b&#39;", "all 100 classes", `<th scope="row" class="name">&lt;i&gt;class 7</th><td class="name">&lt;i&gt;class 8</td><td>90</td>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	// The decisions are used beside other labels, and are not named twice.
	if !strings.Contains(got, "losscorr audit x --trusted-column t --trusted y --trusted &#39;a b/decisions.csv&#39;</code>") {
		t.Error("the next audit does not use the decisions")
	}
	if strings.Contains(got, "by estimate") || !strings.Contains(got, "how many of the true ones cannot be estimated") {
		t.Error("an accuracy is shown that is not known")
	}
	s.Command += " --trusted 'a b/decisions.csv'"
	b.Reset()
	if err := Write(&b, Report{Dir: "a b", Summary: s}); err != nil || strings.Count(b.String(), "--trusted &#39;a b/decisions.csv&#39;</code>") != 2 {
		t.Errorf("%v: the decisions are named twice in a command", err)
	}
}

func TestThumbnail(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	photo := image.NewNRGBA(image.Rect(0, 0, 900, 400))
	for k := range photo.Pix {
		photo.Pix[k] = uint8(rng.IntN(256)) | uint8(k%4/3*255)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, photo, nil); err != nil {
		t.Fatal(err)
	}
	uri, err := thumbnail(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(uri), "data:image/jpeg;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	small, _, err := image.Decode(bytes.NewReader(data))
	if err != nil || small.Bounds().Size() != image.Pt(160, 71) {
		t.Errorf("%v, %v; want 160 x 71", small.Bounds(), err)
	}
	if n := Shown * len(uri); n > 4<<20 {
		t.Errorf("%d such pictures are %d bytes", Shown, n)
	}
	if r, g, bl, _ := small.At(80, 35).RGBA(); min(r, g, bl) < 0x4000 || max(r, g, bl) > 0xc000 {
		t.Errorf("the middle of noise is %v, want grey", color.RGBA64{uint16(r), uint16(g), uint16(bl), 0})
	}
	// A PNG that claims to have 40,000 x 40,000 pixels.
	bomb := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x9c\x40\x00\x00\x9c\x40\x08\x06\x00\x00\x00"), 0x51, 0x0c, 0x0e, 0x05)
	for want, raw := range map[string][]byte{"unknown format": []byte("hello"), "40000 x 40000 pixels": bomb, "EOF": b.Bytes()[:200]} {
		if _, err := thumbnail(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for want, s := range map[string]audit.Summary{
		"If mistakes depended on the class alone, about 11,900 of 60,000 labels would be wrong. People's mistakes are often more: check 50 labels at random to know.":         {Examples: 60000, ExpectedWrong: 11893, NoiseRateInterval: correction.Interval{Low: .1917, High: .205}},
		"If mistakes depended on the class alone, about one of 50 labels would be wrong. People's mistakes are often more: check 50 labels at random to know.":                {Examples: 50, ExpectedWrong: 1.2, NoiseRateInterval: correction.Interval{High: .06}},
		"If mistakes depended on the class alone, hardly any label of 1,000 would be wrong (at most 2). People's mistakes are often more: check 50 labels at random to know.": {Examples: 1000, ExpectedWrong: .2, NoiseRateInterval: correction.Interval{High: .002}},
		"No label of 1,000 seems to be wrong.":                                                  {Examples: 1000},
		"The given labels do not show how many of 1,000 are wrong. Check 50 at random to know.": {Examples: 1000, ExpectedWrong: 7, Doubted: true, NoiseRateInterval: correction.Interval{High: .3}},
		"If mistakes depended on the class alone, about 500 of 10,000 labels would be wrong. They seem not to: more labels go wrong at the harder examples, or the classes overlap there. Up to 2,010 may be wrong; check 50 labels at random to know.": {
			Examples: 10000, ExpectedWrong: 500, NoiseRateInterval: correction.Interval{Low: .04, High: .201}, Uneven: &judging.Uneven{Z: 2, Noticed: true}},
	} {
		if got := Verdict(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for p, want := range map[float64]string{1: "over 99.9 %", .9992: "over 99.9 %", .996: "99.6 %", .82: "82 %", .01: "1 %", .0002: "under 0.1 %", 0: "under 0.1 %"} {
		if got := Chance(p); got != "Wrong with a probability of "+want+", by the model." {
			t.Errorf("%v: %q, want %s", p, got, want)
		}
	}
	for p, want := range map[float64]string{0: "0", .0004: "0.04", .004: "0.4", .125: "12.5", .05: "5", .88: "88", .994: "99", .995: "99.5", .9994: "99.9", .9999: "over 99.9", 1: "100"} {
		if got := percent(p); got != want {
			t.Errorf("percent(%v) = %s, want %s", p, got, want)
		}
	}
}

// The page says how far several reviewers agree, and how much they have not settled.
func TestReviewers(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	kappa := .5
	s.Reviewed = &audit.Reviewed{Agreements: []audit.Agreement{{First: "<ann>", Second: "bob", Both: 2000, Same: 1500, Kappa: &kappa}, {First: "bob", Second: "eve", Both: 1}}, Conflicts: 500}
	if err := f.WriteSummary(&s); err != nil {
		t.Fatal(err)
	}
	text := made(t, f, nil)
	for _, want := range []string{
		`<dt>&lt;ann&gt; and bob say the same of</dt><dd>1,500 of 2,000 labels <span class="range">(kappa 0.50)</span></dd>`,
		`<dt>bob and eve say the same of</dt><dd>0 of 1 labels</dd>`, `<dt>conflicts of reviewers that nobody has settled</dt><dd>500</dd>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}
