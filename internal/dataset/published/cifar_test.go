package published

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// records makes n records of a binary file; seed tells files apart.
func records(n int, seed int, labels func(k int) []byte) string {
	var b strings.Builder
	for k := range n {
		b.Write(labels(k))
		for p := range cifarPixels {
			b.WriteByte(byte(seed*31 + k*7 + p%253))
		}
	}
	return b.String()
}

// cifar10Small has two examples a file, of classes that follow one another.
func cifar10Small() []datasettest.Entry {
	entries := []datasettest.Entry{{Name: "cifar-10-batches-bin/"}, {Name: "cifar-10-batches-bin/readme.html",
		Content: "about"}}
	for _, b := range []int{3, 1, 5, 2, 4} { // as in no official archive
		entries = append(entries, datasettest.Entry{
			Name:    fmt.Sprintf("cifar-10-batches-bin/data_batch_%d.bin", b),
			Content: records(2, b, func(k int) []byte { return []byte{byte(2*(b-1) + k)} }),
		})
	}
	return append(entries,
		datasettest.Entry{Name: "cifar-10-batches-bin/test_batch.bin", Content: records(3, 6, func(k int) []byte {
			return []byte{byte(k)}
		})},
		datasettest.Entry{Name: "cifar-10-batches-bin/batches.meta.txt", Content: strings.Join(cifar10Classes, "\n") +
			"\n\n"})
}

// cifar100Small has an example of each class, class k in super-class 7k mod 20.
func cifar100Small() []datasettest.Entry {
	labels := func(k int) []byte { return []byte{byte(7 * k % 20), byte(k)} }
	names := func(prefix string, n int) (text string) {
		for k := range n {
			text += fmt.Sprintf("%s_%d\n", prefix, k)
		}
		return text
	}
	return []datasettest.Entry{
		{Name: "cifar-100-binary/train.bin", Content: records(100, 1, labels)},
		{Name: "cifar-100-binary/test.bin", Content: records(5, 2, labels)},
		{Name: "cifar-100-binary/fine_label_names.txt", Content: names("fine", 100)},
		{Name: "cifar-100-binary/coarse_label_names.txt", Content: names("coarse", 20)},
	}
}

func TestReadCIFAR10(t *testing.T) {
	datasettest.Isolate(t)
	folder, inside := t.TempDir(), t.TempDir()
	datasettest.Unpack(t, folder, cifar10Small())
	datasettest.Unpack(t, inside, cifar10Small())
	for _, root := range []string{
		datasettest.Save(t, "cifar-10-binary.tar.gz", datasettest.TarGz(t, cifar10Small())),
		datasettest.Save(t, "cifar10/cifar-10-binary.tar.gz", datasettest.TarGz(t, cifar10Small())),
		folder,
		filepath.Join(inside, "cifar-10-batches-bin"),
	} {
		d := expect.Got(Open("cifar10", dataset.Options{Root: root}))(t)
		expect.Same(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, d.Train.Labels)
		expect.Same(t, []int{0, 1, 2}, d.Test.Labels)
		expect.Same(t, []int{3, 32, 32}, d.Train.Shape)
		expect.Same(t, cifar10Classes, d.Classes)
		unlabelled := func(int) []byte { return nil }
		for k := range 10 {
			expect.Same(t, records(1, k/2+1, unlabelled)[0]+byte(k%2*7), d.Train.Example(k)[0], k)
		}
		expect.Same(t, records(3, 6, unlabelled), string(d.Test.X), "pixels of the test split differ")
		if len(d.Files) != 1 || len(d.Files[0].SHA256) != 64 || d.Variant != "" || d.Groups != nil {
			t.Errorf("files %v, variant %q, groups %v", d.Files, d.Variant, d.Groups)
		}
	}
}

func TestReadCIFAR100(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Save(t, "cifar-100-binary.tar.gz", datasettest.TarGz(t, cifar100Small()))
	for range 2 { // the second from the cache
		d := expect.Got(Open("cifar100", dataset.Options{Root: root}))(t)
		expect.Same(t, []int{100, 5, 100}, []int{d.Train.Len(), d.Test.Len(), len(d.Classes)})
		expect.Same(t, []string{"fine_99", "coarse_19"}, []string{d.Classes[99], d.GroupNames[19]})
		for class, group := range d.Groups {
			expect.Same(t, []int{7 * class % 20, class}, []int{group, d.Train.Labels[class]})
		}
		expect.Same(t, records(5, 2, func(int) []byte { return nil }), string(d.Test.X), "pixels of the test split differ")
	}
	onlyCache(t)
}

func TestCIFARRefuses(t *testing.T) {
	datasettest.Isolate(t)
	const ten, hundred = "cifar-10-batches-bin/", "cifar-100-binary/"
	change := func(entries []datasettest.Entry, name string, content func(string) string) []datasettest.Entry {
		k := slices.IndexFunc(entries, func(e datasettest.Entry) bool { return e.Name == name })
		return datasettest.Replace(entries, datasettest.Entry{Name: name, Content: content(entries[k].Content)})
	}
	set := func(at int, v byte) func(string) string {
		return func(s string) string { return s[:at] + string([]byte{v}) + s[at+1:] }
	}
	cut := func(n int) func(string) string { return func(s string) string { return s[:n] } }
	for _, test := range []struct {
		set     string
		entries []datasettest.Entry
		want    string
	}{
		{"cifar10", without(cifar10Small(), ten+"data_batch_4.bin"),
			"the archive is incomplete, since data_batch_4.bin is missing: replace the file with an intact copy " +
				"(once it is deleted, the next run downloads cifar-10-binary.tar.gz, unless --offline)"},
		{"cifar10", change(cifar10Small(), ten+"test_batch.bin", cut(5000)),
			"test_batch.bin: 5000 bytes are not a whole number of 3073-byte records"},
		{"cifar10", change(cifar10Small(), ten+"data_batch_5.bin", cut(3073)),
			"data_batch_5.bin: 1 records, but another part has 2"},
		{"cifar10", change(cifar10Small(), ten+"data_batch_2.bin", set(3073, 10)),
			"data_batch_2.bin: label 10 of record 1 (byte 3073), want one in [0, 10)"},
		{"cifar10", change(cifar10Small(), ten+"batches.meta.txt", cut(20)), "batches.meta.txt: 2 names, want 10"},
		{"cifar10", append(cifar10Small(), datasettest.Entry{Name: "copy/test_batch.bin", Content: "x"}),
			"copy/test_batch.bin: a second test_batch.bin"},
		{"cifar100", change(cifar100Small(), hundred+"test.bin", func(string) string {
			return records(5, 2, func(k int) []byte { return []byte{1} })
		}), "test.bin: 15365 bytes are not a whole number of 3074-byte records"},
		{"cifar100", change(cifar100Small(), hundred+"test.bin", set(3074, 20)),
			"test.bin: record 1 (byte 3074): super-class 20, want one in [0, 20)"},
		{"cifar100", without(cifar100Small(), hundred+"coarse_label_names.txt"), "coarse_label_names.txt is missing"},
	} {
		archive := map[string]string{"cifar10": "cifar-10-binary.tar.gz", "cifar100": "cifar-100-binary.tar.gz"}[test.set]
		root := datasettest.Save(t, archive, datasettest.TarGz(t, test.entries))
		_, err := Open(test.set, dataset.Options{Root: root})
		expect.Says(t, err, "dataset: "+test.set+": "+filepath.Join(root, archive)+": ", test.want)
	}
	// A folder may hold other data: nobody is told to delete it.
	unpacked := t.TempDir()
	datasettest.Unpack(t, unpacked, without(cifar10Small(), ten+"data_batch_4.bin"))
	_, err := Open("cifar10", dataset.Options{Root: unpacked})
	expect.Says(t, err, "data_batch_4.bin is missing: unpack the whole archive there")
	if strings.Contains(err.Error(), "delete") {
		t.Errorf("of a folder: %v", err)
	}
	packed := datasettest.TarGz(t, cifar10Small())
	root := datasettest.Save(t, "cifar-10-binary.tar.gz", packed[:len(packed)/3])
	_, err = Open("cifar10", dataset.Options{Root: root})
	expect.Says(t, err, filepath.Join(root, "cifar-10-binary.tar.gz"), "data_batch_", "truncated")
}
