#!/bin/sh
# T-hat by held-out examples beside vertices, on few and all reviews of IMDB, and on MNIST: 168 runs, an hour on one
# core. Each command resumes.
set -eu
build=${BUILD:-build}
"$build/robust" held-out --out runs/held-out/imdb --seeds 1-3
"$build/robust" mnist --out runs/held-out/mnist --seeds 1-3 --loss cross-entropy,forward,forward-estimated \
	'noise=[{kind: symmetric, level: .5},{kind: asymmetric, level: .6}]' 'estimator=[{name: vertices},{name: held-out}]'
"$build/losscorr" report --format csv runs/held-out >results/robust/held-out.csv
