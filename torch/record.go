package torch

// #include "loader.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// OnStream runs f with the work that this thread gives to the GPU d in a stream of its own, so that
// it does not wait for that of other threads. It comes after what the thread has asked for before,
// and before what it asks for later. On the CPU, OnStream just runs f.
//
// Tensors that another thread has made may be used once that thread has called Synchronize.
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
		if panics { // which says more: of a lost device everything else fails, too
			C.lt_error_free(e)
			return
		}
		check("on_stream", e)
	}()
	f()
	panics = false
}

// Recording is work of a GPU that is done again with one call, as often as wanted: a graph of CUDA.
// It has the memory that it computes in, until Free.
type Recording struct {
	graph   unsafe.Pointer
	streams []*Generator // must live as long
}

// recordings is held while one is made or ended: libtorch registers all of them with the one
// generator of each device that nothing here draws from, without a lock of its own.
var recordings sync.Mutex

// Record calls f and records what it asks of the GPU, without doing any of it: its effects are those
// of Replay alone. It must be called within OnStream, and f must have been run there before, two or
// three times, so that libraries have loaded their kernels and taken their memory.
//
// A replay reads and writes the memory that f has read and written. So tensors from outside of f have
// to be the same ones, with new contents, and numbers of Go are those of the recording. Of random
// streams f may draw from those given; each replay continues them, and what it computes is what f would
// compute, to the last bit where the GPU's kernels repeat theirs.
//
// If f asks for what cannot be recorded, such as a value that the host reads, Record returns the error
// and nothing has happened on the GPU. Panics of f that are no *Error continue. f must not call Record
// or Free.
func Record(streams []*Generator, f func()) (*Recording, error) {
	recordings.Lock()
	defer recordings.Unlock()
	r := &Recording{streams: streams}
	err := Try(func() error {
		list := make([]*C.lt_generator, len(streams))
		for i, g := range streams {
			list[i] = g.g
		}
		check("record", C.lt_cuda_graph_begin(unsafe.SliceData(list), C.int32_t(len(list)), &r.graph))
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := false
	defer func() {
		if !whole {
			r.free()
		}
	}()
	err = Try(func() error {
		f()
		check("record", C.lt_cuda_graph_end(r.graph))
		return nil
	})
	runtime.KeepAlive(streams)
	if whole = err == nil; !whole {
		return nil, err
	}
	return r, nil
}

// Replay does the work again. It is asked for in the current stream; the host does not wait. It panics after Free.
func (r *Recording) Replay() {
	if r.graph == nil {
		raise("replay", StaleHandle, "the recording was freed")
	}
	check("replay", C.lt_cuda_graph_replay(r.graph))
	runtime.KeepAlive(r)
}

// Free ends the recording and gives its memory back. It panics if the recording has ended.
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
