package experiments_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the head of a main claims is what the table that it names holds.
func TestHeadsClaimWhatWasMeasured(t *testing.T) {
	for name, level := range map[string]string{"mnist": "0.6", "imdb-embedding": "0.4"} {
		f, err := os.Open("../results/" + name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(f).ReadAll()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int{}
		for k, column := range lines[0] {
			at[column] = k
		}
		text, found := headOf(t, name), 0
		for _, line := range lines[1:] {
			loss := line[at["loss"]]
			claim := regexp.MustCompile(`[ :]` + loss + ` ([0-9.]+ ± [0-9]+\.[0-9]+)`).FindStringSubmatch(text)
			if line[at["noise"]] != "asymmetric" || line[at["level"]] != level || claim == nil {
				continue
			}
			found++
			want := fmt.Sprintf("%.1f ± %.1f", number(t, line[at["selected_mean"]]), number(t, line[at["selected_std"]]))
			if seeds := len(strings.Fields(line[at["seeds"]])); claim[1] != want || !strings.Contains(text, fmt.Sprintf("%d seeds", seeds)) {
				t.Errorf("%s claims %s of %s, measured are %s over %d seeds", name, claim[1], loss, want, seeds)
			}
		}
		if found != 4 {
			t.Errorf("%s makes %d claims, want 4: %s", name, found, text)
		}
	}
	guide, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]string{"imdb-lstm": "IMDB, LSTM", "cifar10-resnet14": "CIFAR-10, ResNet-14", "cifar10-resnet32": "CIFAR-10, ResNet-32"} {
		claim := regexp.MustCompile(`cross-entropy ([0-9.]+), forward ([0-9]+\.[0-9]+)`).FindStringSubmatch(headOf(t, name))
		if claim == nil {
			t.Errorf("%s claims nothing", name)
			continue
		}
		want := regexp.MustCompile(`(?m)^\| ` + row + `,.*\| ` + claim[1] + ` \| ` + claim[2] + ` \|$`)
		if !want.Match(guide) {
			t.Errorf("%s claims %s, which the guide's line of %s does not have", name, claim[0], row)
		}
	}
	const modest = "shows that all parts run, not the effect"
	quick, err := os.ReadFile("cifar100-resnet44/quick.yaml")
	if text := oneLine(string(quick), "#"); err != nil || !strings.Contains(text, modest) || !strings.Contains(headOf(t, "cifar100-resnet44"), modest) {
		t.Errorf("the quick version of CIFAR-100 claims more than that it %s, %v: %s", modest, err, text)
	}
	for _, name := range []string{"cifar100-resnet44", "clothing1m"} {
		if text := headOf(t, name); !strings.Contains(text, "Nothing is measured yet") {
			t.Errorf("%s: have this test compare what it claims: %s", name, text)
		}
	}
}

// headOf is the comment above a main's package, as one line.
func headOf(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile(name + "/main.go")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(source), "\npackage main")
	if first := strings.ToUpper(name[:1]) + name[1:]; !strings.HasPrefix(head, "// "+first+" is ") {
		t.Errorf("%s does not begin with its name: %.60s", name, head)
	}
	return oneLine(head, "//")
}

// oneLine is text without the marks of comments and its breaks.
func oneLine(text, mark string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, mark, "")), " ")
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
