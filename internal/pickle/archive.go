package pickle

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// zipMagic begins each archive.
const zipMagic = "PK\x03\x04"

// readArchive reads the form of torch.save since version 1.6: an archive, not compressed, with the object,
// NAME/data.pkl, and each storage in a file of its own, NAME/data/KEY.
func readArchive(f io.ReaderAt, size int64) (map[string]Tensor, error) {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return nil, err
	}
	members := map[string]*zip.File{}
	var object *zip.File
	for _, m := range archive.File {
		_, name, _ := strings.Cut(m.Name, "/")
		if members[name] != nil {
			return nil, fmt.Errorf("%s is there twice", m.Name)
		}
		if m.Method != zip.Store {
			return nil, fmt.Errorf("%s is compressed, which torch.save does not do", m.Name)
		}
		if members[name] = m; name == "data.pkl" {
			object = m
		}
	}
	if object == nil {
		return nil, errors.New("an archive without data.pkl is no file of torch.save")
	}
	storages := map[string]*storage{}
	var state any
	if err := opened(object, func(r io.Reader) (err error) {
		state, err = (&machine{r: bufio.NewReader(r), storages: storages}).run()
		return err
	}); err != nil {
		return nil, err
	}
	if m := members["byteorder"]; m != nil {
		if err := opened(m, little); err != nil {
			return nil, err
		}
	}
	left := size // members of a damaged file may overlap
	for key, s := range storages {
		m := members["data/"+key]
		if left -= s.bytes(); m == nil || m.UncompressedSize64 != uint64(s.bytes()) || left < 0 {
			return nil, fmt.Errorf("storage %s is missing, or has not the %d bytes of its tensors", key, s.bytes())
		}
		if err := opened(m, s.fill); err != nil {
			return nil, err
		}
	}
	return tensorsOf(state)
}

// little reads the order of bytes.
func little(r io.Reader) error {
	order, err := io.ReadAll(io.LimitReader(r, 16))
	if err == nil && string(order) != "little" {
		err = fmt.Errorf("numbers in the order %.10q, want little", order)
	}
	return err
}

// opened reads a member to its end, where its checksum is compared.
func opened(m *zip.File, read func(io.Reader) error) error {
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err = read(r); err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return nil
}
