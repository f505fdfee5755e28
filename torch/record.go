package torch

// #include "loader.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// OnStream runs f with d as this thread's GPU and with the thread's work for d in a separate stream, so it does not
// wait for the work of other threads. That work runs after the thread's earlier work and before its later work. On the
// CPU, OnStream just runs f.
//
// f may use tensors of another thread once that thread has called Synchronize.
func OnStream(d Device, f func()) {
	if !d.IsCUDA() {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unsafe.Pointer
	check("on_stream", C.lt_cuda_stream_enter(C.int32_t(d.Index()), &before))
	panics := true
	defer func() {
		e := C.lt_cuda_stream_leave(before)
		if panics { // f's panic is the cause: on a lost device everything else fails as well
			C.lt_error_free(e)
			return
		}
		check("on_stream", e)
	}()
	f()
	panics = false
}

// Recording is GPU work that one call repeats any number of times: a CUDA graph. It owns the memory that it computes
// in until Free.
type Recording struct {
	graph   unsafe.Pointer
	streams []*Generator // kept alive with the graph
}

// recordings is held while a recording is made or freed: libtorch registers each with the device's global generator,
// which nothing here draws from, without a lock.
var recordings sync.Mutex

// Record calls f and records its GPU work without executing it; only Replay executes it. Call Record within OnStream,
// after running f there two or three times, so that libraries have loaded their kernels and allocated their memory.
//
// A replay reads and writes the same memory as f. So give it new input by changing the contents of tensors outside of
// f; Go numbers keep their values from the recording. f may draw from the given streams, and each replay continues
// them. A replay computes what f would compute, to the last bit if the GPU's kernels are deterministic.
//
// If f does something that cannot be recorded, such as reading a value on the host, Record returns the error and the
// GPU has done nothing. Other panics of f than *Error continue. f must not call Record or Free.
func Record(streams []*Generator, f func()) (*Recording, error) {
	recordings.Lock()
	defer recordings.Unlock()
	r, whole := &Recording{streams: streams}, false
	defer func() {
		if !whole && r.graph != nil {
			r.free()
		}
	}()
	list := make([]*C.lt_generator, len(streams))
	for i, g := range streams {
		list[i] = g.g
	}
	err := Try(func() error {
		check("record", C.lt_cuda_graph_begin(unsafe.SliceData(list), C.int32_t(len(list)), &r.graph))
		f()
		check("record", C.lt_cuda_graph_end(r.graph))
		return nil
	})
	runtime.KeepAlive(streams)
	if err != nil {
		return nil, err
	}
	whole = true
	return r, nil
}

// Replay repeats the work in the current stream; the host does not wait. Panics after Free.
func (r *Recording) Replay() {
	if r.graph == nil {
		raise("replay", StaleHandle, "the recording was freed")
	}
	check("replay", C.lt_cuda_graph_replay(r.graph))
	runtime.KeepAlive(r)
}

// Free frees the recording and its memory. Panics if it was freed before.
func (r *Recording) Free() {
	recordings.Lock()
	defer recordings.Unlock()
	if r.graph == nil {
		raise("record", StaleHandle, "the recording was freed before")
	}
	r.free()
}

func (r *Recording) free() {
	graph := r.graph
	r.graph = nil // even after an error, the shim deletes it
	check("record", C.lt_cuda_graph_free(graph))
}
