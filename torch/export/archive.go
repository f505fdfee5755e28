package export

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// archive is an open .pt2 file: a zip with uncompressed entries in one folder.
type archive struct {
	file    *os.File
	entries map[string]*zip.File // by their path in the folder
}

// maxJSON bounds the size of a graph; 5,000 nodes take 10 MB.
const maxJSON = 256 << 20

func openArchive(path string) (*archive, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	a, err := readArchive(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

func (a *archive) close() { a.file.Close() }

func readArchive(f *os.File) (*archive, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("not a zip file as torch.export.save writes it, or truncated: %w; export the network again, "+
			"or copy the file again", err)
	}
	a := &archive{file: f, entries: map[string]*zip.File{}}
	total, compressed := uint64(0), ""
	for _, e := range z.File {
		if e.Method != zip.Store || e.UncompressedSize64 != e.CompressedSize64 {
			compressed = e.Name
		}
		// Uncompressed entries are smaller than the file unless they overlap.
		if total += e.UncompressedSize64; compressed == "" && (e.UncompressedSize64 > uint64(info.Size()) ||
			total > uint64(info.Size())) {
			return nil, fmt.Errorf("damaged: its entries claim more than the %d bytes of the file", info.Size())
		}
		_, name, found := strings.Cut(e.Name, "/")
		if !found {
			name = e.Name // releases before 2.8 have no folder
		}
		a.entries[name] = e
	}
	if err := a.otherFormat(); err != nil {
		return nil, err
	}
	if compressed != "" {
		return nil, fmt.Errorf("entry %s is compressed, which torch.export.save does not do: use the file that it wrote",
			compressed)
	}
	return a, a.checkOrder()
}

// otherFormat returns an error for a zip file from elsewhere.
func (a *archive) otherFormat() error {
	const save = "export the network with torch.export.export and torch.export.save of torch 2.9 or later"
	switch {
	case a.entries["archive_format"] != nil && a.entries["models/model.json"] != nil:
		return nil
	case a.entries["serialized_exported_program.json"] != nil:
		return errors.New("weights by pickle: this file is of torch 2.7 or earlier, whose weights only Python reads; load " +
			"it there and " + save)
	}
	return errors.New("a zip file, but not one of torch.export.save with one model; it may be TorchScript or the " +
		"weights of torch.save: " + save)
}

func (a *archive) checkOrder() error {
	if a.entries["byteorder"] != nil {
		order, err := a.read("byteorder", 64)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(order)) != "little" {
			return fmt.Errorf("its numbers are %s-endian: save it on a little-endian machine", order)
		}
	}
	return nil
}

// read returns a whole entry, of at most limit bytes.
func (a *archive) read(name string, limit uint64) ([]byte, error) {
	e := a.entries[name]
	if e == nil {
		return nil, fmt.Errorf("truncated or damaged: no entry %s", name)
	}
	if e.UncompressedSize64 > limit {
		return nil, fmt.Errorf("entry %s has %d bytes, more than %d", name, e.UncompressedSize64, limit)
	}
	r, err := e.Open()
	if err != nil {
		return nil, fmt.Errorf("damaged: entry %s: %w", name, err)
	}
	defer r.Close()
	data := make([]byte, e.UncompressedSize64)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("damaged: entry %s: %w", name, err)
	}
	// Reading past the end verifies the checksum.
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		return nil, fmt.Errorf("damaged: entry %s: %w", name, err)
	}
	return data, nil
}

// decode reads an entry's JSON into v.
func (a *archive) decode(name string, v any) error {
	data, err := a.read(name, maxJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("damaged: entry %s is not the expected JSON: %w", name, err)
	}
	return nil
}
