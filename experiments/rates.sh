#!/bin/sh
# Each loss on MNIST with two learning rates, of which noisy validation labels choose: 208 runs. It resumes.
set -eu
build=${BUILD:-build}
"$build/robust" mnist --out runs/rates --seeds 1-2 --noise symmetric:.5,asymmetric:.6 'optimizer.learning_rate=[.001,.003]'
"$build/losscorr" report --format runs runs/rates >results/robust/rates.csv
