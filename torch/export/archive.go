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
	head := make([]byte, 16)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if head = head[:n]; !strings.HasPrefix(string(head), "PK\x03\x04") {
		return nil, otherFormat(head)
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("truncated or damaged: it begins as a zip file, but %w; write it again, or copy it again", err)
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

// otherFormat returns an error that names the format of a zip file from elsewhere.
func (a *archive) otherFormat() error {
	const save = "export it with torch.export.export and torch.export.save of torch 2.9 or later"
	switch {
	case a.entries["archive_format"] != nil && a.entries["models/model.json"] != nil:
	case a.entries["archive_format"] != nil && a.entries["data/aotinductor/model"] != nil:
		return errors.New("this is a compiled package of AOTInductor, which holds no graph: " + save)
	case a.entries["archive_format"] != nil:
		return errors.New("a package without models/model.json: " + save +
			", with one model under the name that save gives it")
	case a.entries["serialized_exported_program.json"] != nil:
		return errors.New("weights by pickle: this file is of torch 2.7 or earlier, whose weights only Python reads; load " +
			"it there and " + save)
	case a.entries["constants.pkl"] != nil || a.entries["code/__torch__.py"] != nil:
		return errors.New("this is a TorchScript file, a format that PyTorch has deprecated: " + save)
	case a.entries["data.pkl"] != nil:
		return errors.New("this is a file of torch.save, which holds weights or Python objects but no graph: " + save)
	default:
		return errors.New("a zip file, but not one of torch.export.save: " + save)
	}
	return nil
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

func otherFormat(head []byte) error {
	const instead = ": export the network with torch.export.export and torch.export.save"
	switch {
	case len(head) == 0:
		return errors.New("the file is empty")
	case head[0] == 0x08 && len(head) > 2 && head[2] == 0x12 || strings.Contains(string(head), "onnx") ||
		strings.Contains(string(head), "pytorch"):
		return errors.New("not a zip file; it looks like ONNX, which is not supported" + instead)
	case head[0] == 0x80:
		return errors.New("not a zip file but a pickle, which only Python reads" + instead)
	case len(head) > 8 && head[8] == '{':
		return errors.New("not a zip file; it looks like safetensors, which holds weights but no graph" + instead)
	}
	return errors.New("not a file of torch.export.save, which is a zip file" + instead)
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
