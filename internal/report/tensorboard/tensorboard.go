// Package tensorboard writes scalars as event files, which TensorBoard shows.
//
//	err := tensorboard.Write("events.out.tfevents.run", start, tensorboard.Event{
//		Time: start.Add(time.Minute), Step: 1,
//		Scalars: []tensorboard.Scalar{{Tag: "test/accuracy", Value: 97.3}},
//	})
//
// A file is a sequence of TFRecords. A record is, little-endian: the length of its data (8 bytes), the
// masked CRC-32C of the length (4), the data, and the masked CRC-32C of the data (4). The data is a
// protocol buffer, tensorflow.Event; the first one holds the version of the format.
package tensorboard

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/losscorr/losscorr/internal/files"
)

// Event holds the scalars of one step.
type Event struct {
	Time    time.Time
	Step    int64
	Scalars []Scalar
}

// Scalar is a number with a name; a slash in the name groups scalars.
type Scalar struct {
	Tag   string
	Value float64 // kept as float32
}

// Write replaces an event file atomically.
func Write(path string, start time.Time, events ...Event) error {
	b := appendRecord(nil, bytesField(doubleField(nil, eventWallTime, seconds(start)), eventFileVersion, []byte(version)))
	for _, e := range events {
		b = appendRecord(b, e.encode())
	}
	if err := files.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// version is the file_version of the first event.
const version = "brain.Event:2"

// The field numbers of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
const (
	eventWallTime    = 1
	eventStep        = 2
	eventFileVersion = 3
	eventSummary     = 5
	summaryValue     = 1
	valueTag         = 1
	valueSimple      = 2
	valueMetadata    = 9
	metadataPlugin   = 1
	pluginName       = 1
)

func (e Event) encode() []byte {
	scalars := bytesField(nil, metadataPlugin, bytesField(nil, pluginName, []byte("scalars")))
	var summary []byte
	for _, s := range e.Scalars {
		value := bytesField(nil, valueTag, []byte(s.Tag))
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		value = bytesField(value, valueMetadata, scalars)
		summary = bytesField(summary, summaryValue, value)
	}
	b := doubleField(nil, eventWallTime, seconds(e.Time))
	b = protowire.AppendVarint(protowire.AppendTag(b, eventStep, protowire.VarintType), uint64(e.Step))
	return bytesField(b, eventSummary, summary)
}

func bytesField(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}

func doubleField(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(v))
}

// seconds since 1970, as wall_time counts, exact to a microsecond until 2100.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of TFRecord: rotated and shifted, so that the sum of data that holds sums is not
// one of them.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

func appendRecord(b, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b[start:]))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}
