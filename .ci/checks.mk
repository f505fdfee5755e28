# Checks that CI makes and developers seldom: make -f .ci/checks.mk TARGET, from the root; help lists them.
include Makefile

.PHONY: test-libtorch-oldest test-libtorch-newest
test-libtorch-oldest test-libtorch-newest: test-libtorch-%: ## build and test against the oldest, the newest libtorch
	$(MAKE) test BUILD=build/$* RELEASE=$* LIBTORCH=

.PHONY: test-export
test-export: all ## networks of torchvision, docs/python.md and bench's scripts, with a PYTHON that has torch 2.11, torchvision and safetensors
	LOSSCORR_MKL_INTEL_PATH=0 LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_TEST_PYTHON=$(abspath $(shell command -v $(or $(PYTHON),python3))) $(GO) test -count 1 -timeout 60m -v -run 'Torchvision|PythonGuide|ScriptsRun' ./torch/export ./internal/command ./internal/bench $(ARGS)

SLOW := LoneProgram|FullDisk|EveryNetworkResumes|OwnLossGuide|Golden
.PHONY: test-slurm test-kubernetes test-image test-slow soak
test-slurm: all ## test on a real Slurm of one node, which it installs (Debian, as root) and starts
	LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_TEST_SLURM=1 $(GO) test -count 1 -timeout 20m -v -run Live ./internal/grid/cluster/slurm $(ARGS)

test-kubernetes: ## have Kubernetes' own validation check the manifests (fetches its modules)
	cd internal/grid/cluster/kubernetes/validate && $(GO) test -count 1 ./... $(ARGS)

test-image: ## run the Containerfile's commands in a folder
	LOSSCORR_TEST_IMAGE=1 $(GO) test -count 1 -run Containerfile -v ./internal/grid/cluster/kubernetes $(ARGS)

test-slow: all ## the longest tests: a lone program, full disks, every network resumes, own losses, ResNet-50
	LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_SLOW=1 $(GO) test -vet=off -count 1 -timeout 30m -run '$(SLOW)' ./internal/command ./internal/run $(ARGS)

soak: all ## test-slow with the large networks as well
	@LOSSCORR_SOAK=1 $(MAKE) --no-print-directory -f .ci/checks.mk test-slow

# Needs all of NVIDIA's libraries (4.7 GB on disk), no GPU and no driver.
.PHONY: test-cuda-load
test-cuda-load: ## fetch libtorch with CUDA, unless LIBTORCH is one, and test that its CUDA half opens in time
	$(if $(LIBTORCH),,@$(MAKE) libtorch BUILD=build/cuda CUDA=1)
	@$(MAKE) shim BUILD=build/cuda $(if $(LIBTORCH),,RELEASE=default)
	LOSSCORR_SHIM=$(abspath build/cuda)/liblosscorr_shim.so LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_REQUIRE_CUDA=1 \
		$(GO) test -count 1 -v -run 'OpenCUDA$$' ./torch

# The shim compiled with sanitizers, in folders of its own. SANITIZED=FILTER runs
# those tests alone, FUZZ=10m the fuzzer as long; see tools/sanitizers.
SANITIZED ?= .
FUZZ ?= 10m
.PHONY: shim-sanitized test-sanitizers fuzz-ops fuzz-readers cross
shim-sanitized: $(BUILD)/libtorch.dir
	@sh torch/libtorch/configure.sh . $(BUILD)/sanitize/cmake -DLIBTORCH="$$(cat $<)" -DLOSSCORR_CUDA=OFF \
		-DLOSSCORR_OUT="$(abspath $(BUILD))/sanitize" -DLOSSCORR_SANITIZE=address,undefined
	@cmake --build $(BUILD)/sanitize/cmake --parallel $(JOBS) --target losscorr_shim
	@sh torch/libtorch/configure.sh . $(BUILD)/sanitize-thread/cmake -DLIBTORCH="$$(cat $<)" -DLOSSCORR_CUDA=OFF \
		-DLOSSCORR_OUT="$(abspath $(BUILD))/sanitize-thread" -DLOSSCORR_SANITIZE=thread
	@cmake --build $(BUILD)/sanitize-thread/cmake --parallel $(JOBS) --target handles_stress

test-sanitizers: shim-sanitized shim ## test torch under Address-, Undefined-, Leak- and ThreadSanitizer; SANITIZED=FILTER some
	$(BUILD)/sanitize-thread/handles_stress
	LOSSCORR_REQUIRE_LIBTORCH=1 $(GO) test -race -count 1 -run InParallel ./torch
	SHIM="$(abspath $(BUILD))/sanitize" $(GO) test -asan -count 1 -timeout 30m -run '$(SANITIZED)' \
		-exec "$(abspath tools/sanitizers/run.sh)" ./torch ./torch/nn ./torch/optim
	$(GO) build -asan -o $(BUILD)/sanitize/opfuzz ./tools/opfuzz
	SHIM="$(abspath $(BUILD))/sanitize" tools/sanitizers/run.sh $(BUILD)/sanitize/opfuzz -duration 30s $(ARGS)

# The limit ends a call that would take all memory as one that is out of memory.
fuzz-ops: shim ## call the operations with random operands, FUZZ=10m; ARGS="-seed N", "-case N" repeats a failure
	@$(GO) build -o $(BUILD)/opfuzz ./tools/opfuzz
	ulimit -v 16777216 && $(BUILD)/opfuzz -duration $(FUZZ) $(ARGS)

READERS := ./internal/npy:FuzzOpen ./internal/rows:FuzzRead \
	./internal/dataset/own:FuzzLabelTable ./internal/dataset/own:FuzzImageArchive ./internal/dataset/picture:FuzzImageFile

# A number of inputs and not a time: Go 1.26 may report the end of a time as an error of the
# reader (go.dev/issue/75804). Without a bound the fuzzer would spend its time on making
# inputs small.
INPUTS ?= 1000000
fuzz-readers: ## give each reader of own data damaged files, INPUTS=1000000 each
	@for reader in $(READERS); do \
		$(GO) test -run '^$$' -fuzz "^$${reader#*:}$$" -fuzztime $(INPUTS)x -fuzzminimizetime 20x $${reader%:*} || exit 1; \
	done

cross: $(BUILD)/libtorch.dir ## compile for macOS and Linux on arm64 (needs zig: python3 -m pip install ziglang)
	JOBS=$(JOBS) sh tools/cross/cross.sh "$$(cat $<)" $(ARGS)

.PHONY: scaling
scaling: all ## how cost grows, as Go benchmarks (ARGS='-bench Estimator', '-short -benchtime 1x', '-count 6' for benchstat)
	@$(GO) test -run '^$$' -bench . -timeout 2h ./tools/scaling $(ARGS)

.PHONY: release-check
release-check: ## build the release here and in a clone: equal byte for byte
	@RELEASES='$(RELEASES)' sh tools/release/check.sh $(BUILD)

.PHONY: test-wheel
test-wheel: ## install dist/losscorr-*.whl into new environments, without torch and beside it, and test the package
	@sh tools/wheel/test.sh $(BUILD)
