package experiments_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the head of a main claims is what the table that it names holds.
func TestHeadsClaimWhatWasMeasured(t *testing.T) {
	for name, level := range map[string]string{"mnist": "0.6", "imdb-embedding": "0.4"} {
		text, found := headOf(t, name), 0
		for _, row := range rows(t, "../results/"+name+".csv") {
			loss := row["loss"]
			claim := regexp.MustCompile(`[ :]` + loss + ` ([0-9.]+ ± [0-9]+\.[0-9]+)`).FindStringSubmatch(text)
			if row["noise"] != "asymmetric" || row["level"] != level || claim == nil {
				continue
			}
			found++
			want := fmt.Sprintf("%.1f ± %.1f", number(t, row["selected_mean"]), number(t, row["selected_std"]))
			if seeds := len(strings.Fields(row["seeds"])); claim[1] != want || !strings.Contains(text, fmt.Sprintf("%d seeds", seeds)) {
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

// The tables of docs/robust.md hold the figures of results/, all of them, bold as there at
// the selected epoch.
func TestRobustPageShowsWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?s)results/(robust-\w+)\.csv.*?\n(\|.*?)\n(?:\n|$)`).FindAllStringSubmatch(string(page), -1)
	for _, part := range parts {
		shown := map[string]string{} // by loss or estimator and noise
		var noises []string
		for k, line := range strings.Split(part[2], "\n") {
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			switch k {
			case 0:
				noises = cells
			case 1: // the rule below
			default:
				for j, cell := range cells[1:] {
					shown[cells[0]+" | "+noises[j+1]] = cell
				}
			}
		}
		measured := rows(t, "../results/"+part[1]+".csv")
		for _, row := range measured {
			want := fmt.Sprintf("%.1f", number(t, row["selected_mean"]))
			if std := row["selected_std"]; std != "" { // a single seed has no spread
				want += fmt.Sprintf(" ± %.1f", number(t, std))
			}
			if row["bold"] == "1" {
				want = "**" + want + "**"
			}
			name, settings, _ := strings.Cut(strings.TrimSuffix(row["loss"], ")"), " (")
			if part[1] != "robust-estimators" {
				want += fmt.Sprintf(" / %.1f", number(t, row["last_mean"]))
			} else if name != "cross-entropy" {
				want += fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
				name = "vertices" // the preset's, which no row names
				for _, setting := range strings.Split(settings, ", ") {
					if estimator, _, found := strings.Cut(setting, " kappa"); found {
						name, _, _ = strings.Cut(estimator, " ")
					}
				}
			}
			key := name + " | " + strings.TrimSpace(row["noise"]+" "+row["level"])
			if shown[key] != want {
				t.Errorf("%s: %s: the page has %q, measured is %s", part[1], key, shown[key], want)
			}
			seeds := "seed " + row["seeds"]
			if all := strings.Fields(row["seeds"]); len(all) > 1 {
				seeds = "seeds 1 to " + all[len(all)-1]
			}
			if !strings.Contains(part[0], seeds) {
				t.Errorf("%s: %s: measured are seeds %s", part[1], key, row["seeds"])
			}
			delete(shown, key)
		}
		for key := range shown {
			t.Errorf("%s: %s is on the page and not measured", part[1], key)
		}
	}
	files, err := filepath.Glob("../results/robust-*.csv")
	if err != nil || len(parts) != len(files) || len(files) == 0 {
		t.Errorf("%d tables on the page of %d, %v", len(parts), len(files), err)
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

// rows are the lines of a CSV by its columns.
func rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, column := range lines[0] {
			row[column] = line[k]
		}
		out = append(out, row)
	}
	return out
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
