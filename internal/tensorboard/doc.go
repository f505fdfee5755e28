// Package tensorboard writes scalars and settings as event files, which TensorBoard shows.
//
//	settings := tensorboard.HParams{"loss": "forward", "noise.level": .6}
//	err := tensorboard.Write("events.out.tfevents.run", start, settings, tensorboard.Event{
//		Time: start.Add(time.Minute), Step: 1,
//		Scalars: []tensorboard.Scalar{{Tag: "test/accuracy", Value: 97.3}},
//	})
//
// A file is a sequence of TFRecords, each a length, data, and a masked CRC-32C of
// both; the data is a protocol buffer, tensorflow.Event. The first event holds the
// version of the format. A record that a crash truncated is removed before the next one
// is written, since a reader would stop at it.
package tensorboard
