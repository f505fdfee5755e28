package main

import (
	"bytes"
	"fmt"
	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/expect"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func TestCommittedSchemaIsCurrent(t *testing.T) {
	t.Chdir("../..")
	want := expect.Got(document())(t)
	for _, described := range []string{"passes over the training set", "folder of the data sets"} {
		if !bytes.Contains(want, []byte(`"description": "`+described+`"`)) {
			t.Errorf("nothing is described as %q: the tags of config.Config are lost", described)
		}
	}
	// the whole schema's
	if sentence := regexp.MustCompile(`"description": "[A-Z][a-z]+ [^"]*"`).FindAll(want, -1); len(sentence) != 1 {
		t.Errorf("descriptions %q, want those of keys to be no comments of Go", sentence)
	}
	expect.Same(t, string(want), string(losscorr.Schema), "experiments/schema.json is old, run go generate .")
}

func TestCommittedPartsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	guide := expect.Got(os.ReadFile(guideFile))(t)
	want := expect.Got(withParts(guide))(t)
	expect.Same(t, string(want), string(guide), fmt.Sprintf("%s is old, run go generate .", guideFile))
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	parsed := expect.Got(jsonschema.UnmarshalJSON(bytes.NewReader(losscorr.Schema)))(t)
	c := jsonschema.NewCompiler()
	expect.OK(t, c.AddResource(id, parsed))
	return expect.Got(c.Compile(id))(t)
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	expect.OK(t, yaml.Unmarshal([]byte(text), &v))
	return v
}

func TestEveryShippedFilePasses(t *testing.T) {
	s := compiled(t)
	err := fs.WalkDir(losscorr.Experiments(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(losscorr.Experiments(), path)
		if err != nil {
			return err
		}
		expect.Fails(t, s.Validate(parse(t, string(text))), "", path)
		want := "# yaml-language-server: $schema=" + strings.Repeat("../", strings.Count(path, "/")) + "schema.json\n"
		if !strings.HasPrefix(string(text), want) {
			t.Errorf("%s does not begin with %q, which editors use to find the schema", path, want)
		}
		return nil
	})
	expect.OK(t, err)
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"epoch: 3",
		"epochs: 3.5",
		"loss: forwards",
		"noise: {kind: symmetric, levl: .2}",
		"optimizer: {name: lion}",
		"grid: {seed: 3}",
		"grid: {loss: [forward, backwards]}",
		"grid: {noise.kind: [none, some]}",
		"grid: {include: [{lss: forward}]}",
		"blocks: mnist.yaml",
		"trusted: [a]",
	} {
		expect.Fails(t, s.Validate(parse(t, text)), "jsonschema validation failed", text)
	}
	for _, text := range []string{
		"trusted: 2", "trusted: rows.csv", "extends: [a.yaml, b.yaml]", "blocks: [a.yaml]",
		"grid: {noise.level: [.1, .2], exclude: [{noise.level: .1, loss: forward}]}",
	} {
		expect.Fails(t, s.Validate(parse(t, text)), "", text)
	}
}
