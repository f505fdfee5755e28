package own_test

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// draw writes a grey image of 32 x 32 pixels.
func draw(path string, value uint8) error {
	img := image.NewGray(image.Rect(0, 0, 32, 32))
	for k := range img.Pix {
		img.Pix[k] = value
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return png.Encode(f, img)
}

func ExampleOpen() {
	root, err := os.MkdirTemp("", "pets")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	for k, name := range []string{"train/cat/tom.png", "train/dog/rex.png", "train/dog/bello.png", "train/cat/felix.png",
		"test/cat/minka.png", "test/dog/laika.png"} {
		if err := draw(filepath.Join(root, name), uint8(k)); err != nil {
			fmt.Println(err)
			return
		}
	}
	pets, err := own.Read(context.Background(), own.Source{Path: root}, dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pets.Train.Len(), "training images of shape", pets.Train.Shape)
	for k, class := range pets.Train.Labels {
		fmt.Println(pets.Classes[class], pets.Train.Example(k)[0])
	}
	// Output:
	// 4 training images of shape [3 32 32]
	// cat 3
	// cat 0
	// dog 2
	// dog 1
}
