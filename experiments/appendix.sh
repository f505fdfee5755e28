#!/bin/sh
# 520 runs that look for what moves the cells of MNIST and IMDB. Each command resumes.
# results/README.md has what they show; results/appendix has all of them.
set -ex
build=${BUILD:-build}
mnist="$build/mnist --out runs/appendix/mnist"
imdb="$build/imdb-embedding --out runs/appendix/imdb"

# Preset fixed with AdaGrad
$mnist --loss forward-estimated --preset fixed --noise asymmetric:.6 optimizer.name=adagrad optimizer.learning_rate=.01 'optimizer.milestones=[]'
$mnist --loss forward,forward-estimated --preset fixed --noise asymmetric:.6 optimizer.name=adagrad optimizer.learning_rate=.01 'optimizer.milestones=[]' trusted=2

# MNIST, forward: trapped seeds; the row of PyTorch is experiments/mnist/forward_trap.py 1 64
$mnist demo --loss forward --seeds 1-64 epochs=2
$mnist --preset fixed --loss forward --noise asymmetric:.6 --seeds 1-64 epochs=2 optimizer.name=adagrad optimizer.learning_rate=.01
$mnist --preset fixed --loss forward --noise asymmetric:.6 --seeds 1-64 epochs=2 'optimizer.learning_rate=[.001,.003]'

# MNIST, backward and forward with T-hat
$mnist --loss backward-estimated,forward-estimated --noise symmetric:.2,asymmetric:.2,asymmetric:.6 estimator.name=argmax

# MNIST, backward
$mnist demo --loss backward --seeds 1,2 clip=0

# MNIST, savage and bootstrap-hard
$mnist --preset paper --noise asymmetric:.6 --loss sigmoid,savage,bootstrap-hard --seeds 1-3
$mnist --noise asymmetric:.6 --loss bootstrap-hard,savage,sigmoid --seeds 1 epochs=200

# MNIST, sigmoid: digits per step, and other settings
$mnist --loss sigmoid --noise symmetric:.2,asymmetric:.6 --seeds 1-3 'batch_size=[8,16,32,64]'
$mnist --loss sigmoid --noise none,asymmetric:.2 --seeds 1-3 batch_size=16
$mnist --loss unhinged --noise asymmetric:.6 --seeds 1-3 'batch_size=[16,32,64]'
$mnist --loss sigmoid --noise symmetric:.2,asymmetric:.6 --seeds 1 dropout=0
$mnist --loss sigmoid --noise symmetric:.2,asymmetric:.6 --seeds 1 init=glorot_uniform
$mnist --loss sigmoid --noise symmetric:.2,asymmetric:.6 --seeds 1 'optimizer.learning_rate=[.001,.1]'
$mnist --loss sigmoid --noise symmetric:.2,asymmetric:.6 --seeds 1 optimizer.weight_decay=2e-4
$mnist --loss sigmoid-symmetric --noise symmetric:.2,asymmetric:.6 --seeds 1

# IMDB, what dropout drops
$imdb --noise asymmetric:.4 --loss cross-entropy,backward,forward 'dropout_units=[channels,elements]'

# IMDB, where the percentile of T-hat lies
$imdb --loss backward-estimated,forward-estimated --seeds 1,2 estimator.quantile=.99
$imdb --loss backward-estimated,forward-estimated --seeds 1,2 --noise asymmetric:.4 estimator.quantile=.95
$imdb --loss backward-estimated,forward-estimated --seeds 1,2 --noise asymmetric:.4 estimator.name=argmax

# IMDB, how long the runs trained
$imdb --loss unhinged,sigmoid --seeds 1 epochs=200
$imdb --loss cross-entropy,bootstrap-hard --noise none,asymmetric:.4 --seeds 1 epochs=200
$imdb --noise asymmetric:.4 --loss cross-entropy,bootstrap-hard,backward,forward,backward-estimated,forward-estimated --seeds 1,2 epochs=125
$imdb --seeds 1,2 --loss unhinged,sigmoid,bootstrap-hard dropout_units=channels
$imdb --seeds 1,2 --loss unhinged,bootstrap-hard dropout_units=channels epochs=125

# IMDB, unhinged at symmetric .1
$imdb --loss unhinged --seeds 1 dropout=.5
$imdb --loss unhinged --noise symmetric:.1 --seeds 1 'batch_size=[32,512]'
$imdb --loss unhinged --noise symmetric:.1 --seeds 1 'optimizer.learning_rate=[.03,.1]'

"$build/losscorr" report --format runs runs/appendix/mnist runs/appendix/imdb >results/appendix/runs.csv
