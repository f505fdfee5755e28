#!/bin/sh
# The first hour on a machine with a GPU: what the program computes there against the
# CPU, how fast it is beside PyTorch, the MNIST block of Table 2 and a column of ResNet-32's. It
# needs the program, libtorch and the data, neither Go nor a network connection:
#
#   BUILD=. DEVICE=cuda:0 sh experiments/gpu.sh [KEY=VALUE...]
#
# QUICK=1 is scaled down. Each step resumes. results/gpu is ready to be committed then. The exit
# code is 1 if a check of the device failed, 3 if a run did.
set -eu
losscorr=${BUILD:-build}/losscorr
device=${DEVICE:-cuda:0}
runs=runs/${QUICK:+quick/}gpu
out=${OUT:-results/gpu}
here=$(dirname "$0")
mkdir -p "$runs" "$out"

"$losscorr" doctor >"$out/doctor.txt" || { cat "$out/doctor.txt"; exit 69; }

failed=0
if [ ! -e "$runs/device.passed" ]; then
	"$losscorr" doctor --device "$device" ${QUICK:+--no-times} --json >"$runs/device.json" || failed=$?
	if [ "$failed" = 69 ]; then exit 69; fi # there is no such device
	mv "$runs/device.json" "$out/device.json"
	if [ "$failed" = 0 ]; then touch "$runs/device.passed"; else
		echo "gpu.sh: a check of the device failed: see $out/device.json" >&2
	fi
fi

# block NAME KEY=VALUE... does the runs of a block on the GPU and writes its table. Four runs at
# a time have 1.5 times the throughput of one (ResNet-32 on an H200, results/gpu/README.md).
block() {
	name=$1 file=${QUICK:+quick}
	shift
	code=0
	"$losscorr" train "$here/$name/${file:-$name}.yaml" --out "$runs/$name" --jobs 4 "device=$device" "$@" || code=$?
	case $code in 0) ;; 3) failed=3 ;; *) exit "$code" ;; esac # 3: some runs failed
	"$losscorr" report --format csv "$runs/$name" >"$out/$name.csv"
}
block mnist "$@"
block cifar10-resnet32 'noise=[{kind: asymmetric, level: .6}]' 'loss=[cross-entropy, backward, forward, forward-estimated]' 'seed=[1]' "$@"
exit "$failed"
