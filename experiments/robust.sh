#!/bin/sh
# Losses of other papers beside the paper's, on MNIST, IMDB and a part of CIFAR-10, and all estimators: 1,354 runs.
# Each command resumes. Arguments, such as --seeds 1, narrow the runs; without any, results/robust* are written.
# QUICK=1 is scaled down.
set -eu
build=${BUILD:-build}
if [ -n "${QUICK:-}" ]; then exec "$build/robust" quick --out runs/quick/robust "$@"; fi
for part in mnist imdb cifar10 estimators; do
	"$build/robust" $part --out runs/robust/$part "$@"
	# MNIST's fifth noise is a T that reads like people's mistakes.
	if [ $part = mnist ]; then
		"$build/robust" mnist --out runs/robust/mnist "$@" 'noise=[{kind: matrix, file: experiments/robust/human.csv}]'
	fi
	if [ $# = 0 ]; then "$build/losscorr" report --format csv runs/robust/$part >results/robust-$part.csv; fi
done
if [ $# = 0 ]; then "$build/losscorr" report --format runs runs/robust >results/robust/runs.csv; fi
