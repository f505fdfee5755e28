#!/bin/sh
# The 85 runs that choose preset fixed on one half of the test images and report on the other
# (docs/reproduction.md): "make halves". Each command resumes.
set -ex
mnist="${BUILD:-build}/mnist --out runs/halves --noise asymmetric:.6"
adagrad="optimizer.name=adagrad optimizer.learning_rate=.01 optimizer.milestones=[]"
percentile="estimator={name: percentile, quantile: .97, kappa: 0, average: 0}"

# What was to choose from: the optimizer and clipping, then the estimator.
$mnist --seeds 1-5 --preset code --loss forward
$mnist --seeds 1-5 --preset fixed --loss forward $adagrad
$mnist --seeds 1-5 --preset fixed --loss forward optimizer.learning_rate=.001
$mnist --seeds 1-5 --preset fixed --loss cross-entropy,forward,forward-estimated
$mnist --seeds 1-5 --preset fixed --loss forward-estimated trusted=2
$mnist --seeds 1-5 --preset fixed --loss forward-estimated "$percentile"
$mnist --seeds 1-5 --preset fixed --loss forward-estimated "$percentile" trusted=2

# What was chosen, with other seeds.
$mnist --seeds 101-110 --preset fixed --loss cross-entropy,forward,forward-estimated
$mnist --seeds 101-110 --preset fixed --loss forward-estimated trusted=2
