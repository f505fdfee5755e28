#!/bin/sh
# Tests the code for GPUs on the stand-in, which replaces the CUDA shim, or on DEVICE of this machine:
#
#   test.sh BUILD [DEVICE]
#
# GO, JOBS and TESTFLAGS come from the Makefile, which has built the program and the shim.
set -eu
cd "$(dirname "$0")/../.."
build=$(cd "$1" && pwd)
export LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_TEST_DEVICE="${2:-cuda:0}"

if [ $# = 1 ]; then
	out=$build/stand-in
	sh torch/libtorch/configure.sh tools/standin "$out/cmake" -DLIBTORCH="$(cat "$build/libtorch.dir")" -DSTANDIN_OUT="$out"
	cmake --build "$out/cmake" --parallel "${JOBS:-2}"
	ln -sf ../liblosscorr_shim.so "$out/"
	sed 's/^cuda=.*/cuda=yes/; s/^cuda_reason=.*/cuda_reason=/' "$build/liblosscorr_shim.txt" >"$out/liblosscorr_shim.txt"
	export LOSSCORR_SHIM="$out/liblosscorr_shim.so"
fi

# Training steps are not timed, since times on the stand-in are meaningless.
"$build/losscorr" doctor --device "$LOSSCORR_TEST_DEVICE" --no-times >"$build/device.txt" 2>&1 || { cat "$build/device.txt"; exit 1; }
tail -n 1 "$build/device.txt"
# shellcheck disable=SC2086 # TESTFLAGS are several words
run() { "${GO:-go}" tool gotestsum --format standard-quiet -- -count 1 ${TESTFLAGS:-} "$@"; }
run ./torch ./torch/nn ./torch/optim ./torch/export
run -run 'Device|EveryNetwork|EndsItsRun|Exercise|Recorded' ./internal/command ./internal/run/train
