package annotations

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// document is a random file or folder of annotations.
type document struct {
	files map[string]string // by their paths
	path  string            // of the annotations
	class []string          // of each label, in the order in which Read has them
}

// generators make a random document of each form.
var generators = map[string]func(g *generator) document{
	"coco": (*generator).coco, "cvat": (*generator).cvat, "fiftyone": (*generator).fiftyone, "voc": (*generator).voc, "yolo": (*generator).yolo,
}

// Whatever is read is written back byte for byte where nothing changes; where classes change, what is read again
// has these and all else as before, and each byte between the classes is the same. Names of classes have quotes,
// control characters and any script; files have keys and elements that no tool knows, in any order, with any space.
func TestRandomRoundTrips(t *testing.T) {
	for _, form := range All.Names() {
		t.Run(form, func(t *testing.T) {
			for range 30 {
				seed := rand.Uint64()
				g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), xml: form == "cvat" || form == "voc"}
				g.draw()
				if d := generators[form](g); !d.holds(t, g, form) {
					t.Fatalf("seed %d, classes %q, files %q", seed, g.classes, d.files)
				}
			}
		})
	}
}

// holds reports whether the property holds.
func (d document) holds(t *testing.T, g *generator, form string) bool {
	t.Helper()
	path := sample{path: d.path, files: d.files}.make(t)
	if of, ok := Of(path); !ok || of.Name != form {
		t.Errorf("it is read as %q", of.Name)
		return false
	}
	set, err := Read(path)
	if err != nil {
		t.Error(err)
		return false
	}
	if got := classesOf(set); set.Left != nil || !slices.Equal(got, d.class) {
		t.Errorf("classes %q, want %q; left out %q", got, d.class, set.Left)
		return false
	}
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := set.Write(out, nil); err != nil {
		t.Error(err)
		return false
	}
	root := filepath.Dir(path)
	if set.folder != "" {
		root = set.folder
	}
	for file, text := range set.texts {
		to := out
		if set.folder != "" {
			rel, _ := filepath.Rel(root, file)
			to = filepath.Join(out, rel)
		}
		if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %v; without a change\n%q\nbecomes\n%q", file, err, text, got)
			return false
		}
	}
	return d.changes(t, g, set, path)
}

func classesOf(s *Set) (out []string) {
	for _, l := range s.Labels {
		out = append(out, Key(l.Class))
	}
	return out
}

// changes gives some labels another class, in place, and compares what is read then.
func (d document) changes(t *testing.T, g *generator, set *Set, path string) bool {
	t.Helper()
	classes, want := map[string]string{}, slices.Clone(d.class)
	for k, l := range set.Labels {
		if g.IntN(2) == 0 {
			want[k] = Key(g.classes[g.IntN(len(g.classes))])
			classes[l.Name] = want[k]
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := set.Write(out, classes); err != nil {
		t.Error(err)
		return false
	}
	if set.folder == "" {
		if err := os.Rename(out, path); err != nil {
			t.Fatal(err)
		}
	} else if err := os.CopyFS(out+"2", os.DirFS(out)); err != nil {
		t.Fatal(err)
	} else {
		for file := range set.texts {
			rel, _ := filepath.Rel(set.folder, file)
			if err := os.Rename(filepath.Join(out, rel), file); err != nil {
				t.Fatal(err)
			}
		}
	}
	again, err := Read(path)
	if err != nil {
		t.Errorf("after a change: %v", err)
		return false
	}
	if got := classesOf(again); !slices.Equal(got, want) {
		t.Errorf("after a change the classes are %q, want %q", got, want)
		return false
	}
	for k, l := range again.Labels {
		if was := set.Labels[k]; l.Name != was.Name || l.Box != was.Box || l.Image != was.Image {
			t.Errorf("%+v, before %+v", l, was)
			return false
		}
	}
	for file := range set.texts {
		if before, after := between(set, file), between(again, file); !slices.Equal(before, after) {
			t.Errorf("%s: what is no class has changed:\n%q\n%q", file, before, after)
			return false
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(again.texts[file]) {
			t.Errorf("no JSON: %s", again.texts[file])
			return false
		}
	}
	return true
}

// between returns what stands between the classes of a file.
func between(s *Set, file string) (out []string) {
	at := 0
	labels := slices.DeleteFunc(slices.Clone(s.Labels), func(l Label) bool { return l.place.file != file })
	slices.SortFunc(labels, func(a, b Label) int { return a.place.from - b.place.from })
	for _, l := range labels {
		out = append(out, string(s.texts[file][at:l.place.from]))
		at = l.place.to
	}
	return append(out, string(s.texts[file][at:]))
}

// generator draws parts of documents.
type generator struct {
	*rand.Rand
	xml     bool
	classes []string
	images  []string
}

// draw draws the classes and the images.
func (g *generator) draw() {
	keys := map[string]bool{}
	for len(g.classes) < 2+g.IntN(4) {
		if name := g.text(); Key(name) != "" && !keys[Key(name)] {
			keys[Key(name)] = true
			g.classes = append(g.classes, name)
		}
	}
	for k := range 1 + g.IntN(3) {
		g.images = append(g.images, fmt.Sprintf("%s%d", []string{"a", "b c", "ä", "x'y", "p&q", "sub/d", "日本"}[g.IntN(7)], k))
	}
}

func (g *generator) class() string { return g.classes[g.IntN(len(g.classes))] }

// text is a name of a class or an unknown value.
func (g *generator) text() string {
	parts := []string{
		"cat", "dog", `"`, `\`, "'", "&", "<", ">", "/", "]]>", "&amp;", "é", "e\u0301", "日本語", "🐈", "\u200b", "\u2028", "\u00a0", "a b", "\t", "\n", "\U000e0001", "{", "}", "[", ",", ":", "#", "null", "1", "%", "category_id",
	}
	if !g.xml { // which has no way to write these
		parts = append(parts, "\x01", "\x00", "\x1b", "\x7f", "\u0085", "\r", "\b", "\f")
	}
	out := ""
	for range 1 + g.IntN(4) {
		out += parts[g.IntN(len(parts))]
	}
	return out
}

func (g *generator) space() string {
	return []string{"", "", " ", "  ", "\n", "\t", "\r\n", "\n    "}[g.IntN(8)]
}

// quoted is a string of JSON, in one of the ways in which tools write it.
func (g *generator) quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(g.IntN(2) == 0)
	_ = e.Encode(text) // into memory
	out := strings.TrimSuffix(b.String(), "\n")
	if g.IntN(2) == 0 { // as Python does
		ascii := ""
		for _, r := range out {
			switch {
			case r > 0xffff:
				r -= 0x10000
				ascii += fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			case r > 0x7e:
				ascii += fmt.Sprintf(`\u%04x`, r)
			default:
				ascii += string(r)
			}
		}
		out = ascii
	}
	return out
}

// object is an object of JSON with its keys in any order and unknown ones among them.
func (g *generator) object(fields map[string]string) string {
	keys := slices.Sorted(maps.Keys(fields))
	for k := range g.IntN(3) {
		key := fmt.Sprintf("x%d%s", k, g.text())
		fields[key] = []string{"null", "-1.50e+3", "true", g.quoted(g.text()), `{"category_id": 3, "label": [1,  2]}`, "[ ]", `"\/"`}[g.IntN(7)]
		keys = append(keys, key)
	}
	g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	var parts []string
	for _, key := range keys {
		parts = append(parts, g.space()+g.quoted(key)+g.space()+":"+g.space()+fields[key]+g.space())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *generator) list(items []string) string {
	for k := range items {
		items[k] = g.space() + items[k] + g.space()
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (g *generator) number() string {
	return strconv.FormatFloat(float64(g.IntN(900))/100, 'f', -1, 64)
}

func (g *generator) coco() document {
	d := document{files: map[string]string{}, path: "instances_train.json"}
	var categories, images, annotations []string
	for k, class := range g.classes {
		categories = append(categories, g.object(map[string]string{"id": strconv.Itoa(10 + 7*k), "name": g.quoted(class)}))
	}
	for k, image := range g.images {
		d.files["images/"+image+".jpg"] = ""
		images = append(images, g.object(map[string]string{"id": strconv.Itoa(k), "file_name": g.quoted(image + ".jpg")}))
	}
	for k := range 1 + g.IntN(6) {
		at := g.IntN(len(g.classes))
		d.class = append(d.class, Key(g.classes[at]))
		a := map[string]string{"id": strconv.Itoa(100 + k), "image_id": strconv.Itoa(g.IntN(len(g.images))), "category_id": strconv.Itoa(10 + 7*at)}
		if g.IntN(4) > 0 {
			a["bbox"] = g.list([]string{g.number(), g.number(), "1" + g.number(), "1" + g.number()})
		}
		annotations = append(annotations, g.object(a))
	}
	d.files[d.path] = g.object(map[string]string{"categories": g.list(categories), "images": g.list(images), "annotations": g.list(annotations)}) + g.space()
	return d
}

func (g *generator) fiftyone() document {
	d := document{files: map[string]string{}, path: "labels.json"}
	var classes, labels []string
	for _, class := range g.classes {
		classes = append(classes, g.quoted(class))
	}
	named := g.IntN(2) == 0
	for _, image := range g.images {
		d.files["data/"+image+".jpg"] = ""
		at := g.IntN(len(g.classes))
		value := strconv.Itoa(at)
		if named {
			value = g.quoted(g.classes[at])
		}
		if g.IntN(3) == 0 {
			value = g.object(map[string]string{"label": value, "confidence": "0.6"})
		}
		d.class = append(d.class, Key(g.classes[at]))
		labels = append(labels, g.space()+g.quoted(image)+g.space()+":"+g.space()+value+g.space())
	}
	labels = append(labels, `"none": null`)
	parts := []string{`"labels"` + g.space() + ":" + g.space() + "{" + strings.Join(labels, ",") + "}", g.space() + g.quoted("x"+g.text()) + ":" + g.quoted(g.text())}
	if list := `"classes"` + g.space() + ":" + g.space() + g.list(classes); named && g.IntN(2) == 0 {
		parts = append(parts, list)
	} else {
		parts = append([]string{list}, parts...)
	}
	d.files[d.path] = "{" + g.space() + strings.Join(parts, ","+g.space()) + g.space() + "}" + g.space()
	return d
}

// escape is text as XML has it, in one of the ways in which tools write it.
func (g *generator) escape(text string, attribute bool) string {
	if g.IntN(2) == 0 {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(text)) // into memory
		return b.String()
	}
	out := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "&#10;", "\t", "&#9;").Replace(text)
	if attribute {
		out = strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(out)
	}
	return out
}

// attributes are those of a tag in any order, in either kind of quotes, with unknown ones among them.
func (g *generator) attributes(values map[string]string) string {
	keys := slices.Sorted(maps.Keys(values))
	if g.IntN(2) == 0 {
		values["x-label"] = g.text()
		keys = append(keys, "x-label")
	}
	g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	out := ""
	for _, key := range keys {
		quote := []string{`"`, `'`}[g.IntN(2)]
		out += " " + g.space() + key + g.space() + "=" + g.space() + quote + g.escape(values[key], true) + quote
	}
	return out + g.space()
}

func (g *generator) cvat() document {
	d := document{files: map[string]string{}, path: "annotations.xml"}
	text := `<?xml version="1.0" encoding="utf-8"?>` + g.space() + "<!-- <tag label=\"no\"/> --><annotations>" + g.space()
	for _, image := range g.images {
		d.files["images/"+image+".jpg"] = ""
		text += g.space() + "<image" + g.attributes(map[string]string{"name": image + ".jpg", "id": "1"}) + ">" + g.space()
		for range 1 + g.IntN(3) {
			class := g.class()
			d.class = append(d.class, Key(class))
			if g.IntN(2) == 0 {
				text += "<tag" + g.attributes(map[string]string{"label": class}) + "/>"
				continue
			}
			text += "<box" + g.attributes(map[string]string{"label": class, "xtl": "1", "ytl": g.number(), "xbr": "9.5", "ybr": "9"}) + ">" + g.space() +
				`<attribute name="label">` + g.escape(g.text(), false) + "</attribute></box>"
		}
		text += g.space() + "</image>"
	}
	d.files[d.path] = text + "</annotations>" + g.space()
	return d
}

func (g *generator) voc() document {
	d := document{files: map[string]string{}, path: "."}
	slices.Sort(g.images)
	for k, image := range g.images {
		image = filepath.Base(image)
		d.files["JPEGImages/"+image+".jpg"] = ""
		text := "<annotation>" + g.space() + "<filename>" + g.space() + g.escape(image+".jpg", false) + "</filename><folder>" + g.escape(g.text(), false) + "</folder>"
		for range 1 + g.IntN(3) {
			class := g.class()
			d.class = append(d.class, Key(class))
			parts := []string{
				"<name>" + g.space() + g.escape(class, false) + g.space() + "</name>",
				"<bndbox><xmin>2</xmin>" + g.space() + "<ymin>" + g.number() + "</ymin><xmax>9</xmax><ymax>9.5</ymax></bndbox>",
				"<pose>" + g.escape(g.text(), false) + "</pose>", "<part><name>head</name></part>", "<!-- <name>no</name> -->",
			}
			g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			text += g.space() + "<object>" + strings.Join(parts, g.space()) + "</object>"
		}
		d.files[fmt.Sprintf("Annotations/%d.xml", k)] = text + g.space() + "</annotation>" + g.space()
	}
	return d
}

func (g *generator) yolo() document {
	d := document{files: map[string]string{}, path: "data.yaml"}
	numbers := g.Perm(20)[:len(g.classes)]
	list := g.IntN(2) == 0
	yaml := g.quoted("x"+strconv.QuoteToASCII(g.text())) + ": [1, 2]\ntrain: images/train\nval: images/val\nnames:"
	for k, class := range g.classes {
		if list {
			numbers[k] = k
			yaml += "\n  - " + strconv.QuoteToASCII(class)
		} else {
			yaml += fmt.Sprintf("\n  %d: %s", numbers[k], strconv.QuoteToASCII(class))
		}
	}
	d.files[d.path] = yaml + "\n"
	d.files["images/train/empty.jpg"], d.files["images/val/empty.jpg"] = "", ""
	slices.Sort(g.images)
	blank := []string{"", "\n", " \n", "\r\n"}
	images := slices.Clone(g.images)
	slices.SortFunc(images, func(a, b string) int { return strings.Compare("images/train/"+a+".jpg", "images/train/"+b+".jpg") })
	for _, image := range images {
		d.files["images/train/"+image+".jpg"] = ""
		text := blank[g.IntN(4)]
		for range 1 + g.IntN(3) {
			at := g.IntN(len(g.classes))
			d.class = append(d.class, Key(g.classes[at]))
			text += strings.Repeat(" ", g.IntN(2)) + strconv.Itoa(numbers[at]) + []string{" .5 .5 .25 .25", "\t0.5  0.5\t0.25 1e-1 ", " .1 .1 .5 .1 .5 .6"}[g.IntN(3)] + []string{"\n", "\r\n"}[g.IntN(2)] + blank[g.IntN(4)]
		}
		if g.IntN(3) == 0 {
			text = strings.TrimRight(text, "\r\n ")
		}
		d.files["labels/train/"+image+".txt"] = text
	}
	return d
}
