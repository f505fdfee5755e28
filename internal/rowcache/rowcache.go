// Package rowcache keeps rows of numbers on disk, each under the hash of what it was made of. A
// row that was written stays; one that was cut off or damaged is as if it were not there.
//
//	c, err := rowcache.Open(path)
//	if !c.Has(key) {
//		err = c.Put(key, row)
//	}
//	err = c.Get(key, row)
//	err = c.Close()
//
// The file is a header and records of one size: the key, a checksum and the row. One process at a
// time may write.
package rowcache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
)

// Key is the hash of what a row is made of.
type Key [16]byte

// KeyOf returns the key of some content.
func KeyOf(content []byte) Key {
	sum := sha256.Sum256(content)
	return Key(sum[:len(Key{})])
}

// magic begins the file; the number of columns follows.
const magic = "losscorr rows 1\n"

const (
	header = len(magic) + 4
	before = len(Key{}) + 4 // bytes of a record before its row
)

// Cache is an open file of rows.
type Cache struct {
	file    *os.File
	columns int // 0 before the first row
	records int64
	at      map[Key]int64 // number of the record
	buffer  []byte
}

// Open opens the rows at path, which may not exist.
func Open(path string) (*Cache, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	c := &Cache{file: f, at: map[Key]int64{}}
	if err := c.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return c, nil
}

// read lists the keys.
func (c *Cache) read() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < int64(header) {
		return c.file.Truncate(0)
	}
	head := make([]byte, header)
	if _, err := c.file.ReadAt(head, 0); err != nil {
		return err
	}
	columns := binary.LittleEndian.Uint32(head[len(magic):])
	if string(head[:len(magic)]) != magic || columns < 1 || columns > 1<<24 {
		return errors.New("not a row cache: delete it")
	}
	c.columns = int(columns)
	c.buffer = make([]byte, before+4*c.columns)
	c.records = (info.Size() - int64(header)) / int64(len(c.buffer))
	var key Key
	for k := range c.records {
		if _, err := c.file.ReadAt(key[:], c.offset(k)); err != nil {
			return err
		}
		c.at[key] = k
	}
	return nil
}

func (c *Cache) offset(record int64) int64 {
	return int64(header) + record*int64(len(c.buffer))
}

// Columns is the number of numbers of a row; 0 as long as no row was written.
func (c *Cache) Columns() int { return c.columns }

// Has reports whether the cache has a whole row for a key.
func (c *Cache) Has(key Key) bool {
	k, there := c.at[key]
	if there && !c.whole(key, k) {
		delete(c.at, key)
		return false
	}
	return there
}

// whole reads a record and compares its checksum.
func (c *Cache) whole(key Key, record int64) bool {
	if _, err := c.file.ReadAt(c.buffer, c.offset(record)); err != nil {
		return false
	}
	return Key(c.buffer[:len(key)]) == key && binary.LittleEndian.Uint32(c.buffer[len(key):]) == sum(key,
		c.buffer[before:])
}

func sum(key Key, row []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key[:]), crc32.IEEETable, row)
}

// Get reads the row of a key, which is there.
func (c *Cache) Get(key Key, row []float32) error {
	if len(row) != c.columns {
		return fmt.Errorf("%s has rows of %d numbers, not %d", c.file.Name(), c.columns, len(row))
	}
	if k, there := c.at[key]; !there || !c.whole(key, k) {
		return fmt.Errorf("%s has lost a row: remove it", c.file.Name())
	}
	for i := range row {
		row[i] = math.Float32frombits(binary.LittleEndian.Uint32(c.buffer[before+4*i:]))
	}
	return nil
}

// Put writes a row. It is an error if it has not as many numbers as those that are there.
func (c *Cache) Put(key Key, row []float32) error {
	if c.columns == 0 {
		c.columns = len(row)
		c.buffer = make([]byte, before+4*c.columns)
		if _, err := c.file.WriteAt(binary.LittleEndian.AppendUint32([]byte(magic), uint32(c.columns)), 0); err != nil {
			return err
		}
	}
	if len(row) != c.columns {
		return fmt.Errorf("%s has rows of %d numbers, not %d: remove it", c.file.Name(), c.columns, len(row))
	}
	copy(c.buffer, key[:])
	for i, v := range row {
		binary.LittleEndian.PutUint32(c.buffer[before+4*i:], math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(c.buffer[len(key):], sum(key, c.buffer[before:]))
	if _, err := c.file.WriteAt(c.buffer, c.offset(c.records)); err != nil {
		return err
	}
	c.at[key] = c.records
	c.records++
	return nil
}

// Close writes what is left to the disk.
func (c *Cache) Close() error { return errors.Join(c.file.Sync(), c.file.Close()) }
