// Package datatest writes small data sets in the formats of the official ones, for tests.
package datatest

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

// Digits leaves a small data set in MNIST's format: a bright row and column
// tell the class, so that a network learns it in seconds.
func Digits(t testing.TB, dir string, train, test int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, set := range []struct {
		part string
		n    int
	}{{"train", train}, {"t10k", test}} {
		part, n := set.part, set.n
		images := binary.BigEndian.AppendUint32(nil, 0x803)
		for _, d := range []int{n, 28, 28} {
			images = binary.BigEndian.AppendUint32(images, uint32(d))
		}
		labels := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 0x801), uint32(n))
		for k := range n {
			class := k % 10
			labels = append(labels, byte(class))
			for i := range 784 {
				v := byte(rng.IntN(60))
				if i/28/3 == class || i%28/3 == class {
					v += 150
				}
				images = append(images, v)
			}
		}
		datasettest.Put(t, filepath.Join(dir, part+"-images-idx3-ubyte"), string(images))
		datasettest.Put(t, filepath.Join(dir, part+"-labels-idx1-ubyte"), string(labels))
	}
}

// Clothes leaves a set of three classes in the layout of Clothing1M: six noisy
// images, then of clean ones six to train on; every class has one under
// its own and one under the next name, three of validation and three to test with.
func Clothes(t testing.TB, root string) {
	t.Helper()
	files := map[string]string{"category_names_eng.txt": "T-Shirt\nCoat\nVest\n"}
	rng := rand.New(rand.NewPCG(3, 4))
	k := 0
	for _, list := range []struct {
		name string
		n    int
	}{{"noisy_train", 6}, {"clean_train", 6}, {"clean_val", 3}, {"clean_test", 3}} {
		for i := range list.n {
			key := fmt.Sprintf("images/%d/%d.jpg", k%10, k)
			k++
			files[list.name+"_key_list.txt"] += key + "\n"
			grey := image.NewGray(image.Rect(0, 0, 30, 40))
			for at := range grey.Pix {
				grey.Pix[at] = byte(rng.IntN(256))
			}
			files[key] = string(datasettest.PNGFile(t, grey))
			if list.name != "noisy_train" {
				files["clean_label_kv.txt"] += fmt.Sprintf("%s %d\n", key, i%3)
			}
			if list.name == "noisy_train" || list.name == "clean_train" {
				files["noisy_label_kv.txt"] += fmt.Sprintf("%s %d\n", key, (i+i/3)%3)
			}
		}
	}
	for name, content := range files {
		datasettest.Put(t, filepath.Join(root, name), content)
	}
}

// Reviews leaves IMDB's archive with n reviews for each part and class, whose
// words tell the class.
func Reviews(t testing.TB, path string, n int) {
	t.Helper()
	words := map[string]string{"neg": "a dull film and a poor plot ", "pos": "a fine film and a great plot "}
	var members []datasettest.Entry
	for _, part := range []string{"train", "test"} {
		for _, class := range []string{"neg", "pos"} {
			for k := range n {
				members = append(members, datasettest.Entry{Name: fmt.Sprintf("aclImdb/%s/%s/%d_1.txt", part, class, k),
					Content: strings.Repeat(words[class], 1+k%3)})
			}
		}
	}
	datasettest.Put(t, path, string(datasettest.TarGz(t, members)))
}

// CIFAR leaves an official archive of CIFAR-10, or of CIFAR-100 if there are
// groups, with four training images and two test images a class.
func CIFAR(t testing.TB, path string, classes, groups int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	records := func(n int) string {
		var out []byte
		for k := range n {
			if groups > 0 {
				out = append(out, byte(k%classes%groups))
			}
			out = append(out, byte(k%classes))
			for range 3072 {
				out = append(out, byte(rng.IntN(256)))
			}
		}
		return string(out)
	}
	names := func(kind string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d\n", kind, i)
		}
		return b.String()
	}
	var members []datasettest.Entry
	add := func(name, content string) {
		members = append(members, datasettest.Entry{Name: name, Content: content})
	}
	if groups > 0 {
		add("cifar-100-binary/train.bin", records(4*classes))
		add("cifar-100-binary/test.bin", records(2*classes))
		add("cifar-100-binary/fine_label_names.txt", names("class", classes))
		add("cifar-100-binary/coarse_label_names.txt", names("group", groups))
	} else {
		for part := range 5 {
			add(fmt.Sprintf("cifar-10-batches-bin/data_batch_%d.bin", part+1), records(2*classes))
		}
		add("cifar-10-batches-bin/test_batch.bin", records(2*classes))
		add("cifar-10-batches-bin/batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n")
	}
	datasettest.Put(t, path, string(datasettest.TarGz(t, members)))
}
