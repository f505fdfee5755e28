# losscorr: `make` builds, `make demo` shows the main result, `make test` checks it
# all, `make help` lists the rest.
#
#   LIBTORCH=DIR    use this libtorch, in place of python3's or a fetched one
#   BUILD=DIR       build there in place of ./build
#   ARGS=...        more arguments for the experiment
#   REVISION=...    the commit of sources that have no git
#   QUICK=1         a scaled-down version of an experiment
#   CLUSTER=slurm   submit a block of Table 2 to Slurm in place of running it here;
#                   or CLUSTER=kubernetes
#   SITE=FILE       the cluster's options (docs/clusters.md); SUBMIT=... more flags
#   SEEDS=1-3  PRESET=code  NOISE=asymmetric:.6  LOSS=forward  DEVICE=cuda:0
#                   do part of the experiment, or do it on another device

BUILD ?= build
GO ?= go
CMAKE ?= cmake
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
TESTFLAGS ?=
PACKAGES ?= ./...

include .ci/versions

ifneq ($(shell command -v ninja 2>/dev/null),)
GENERATOR := -G Ninja
endif

ifneq ($(BUILD),build)
export LOSSCORR_SHIM := $(abspath $(BUILD))/liblosscorr_shim.so
endif

NARROWED = $(if $(SEEDS),--seeds $(SEEDS)) $(if $(PRESET),--preset $(PRESET)) \
	$(if $(DEVICE),--device $(DEVICE)) $(if $(NOISE),--noise $(NOISE)) \
	$(if $(LOSS),--loss $(LOSS))

.PHONY: all
all: ## build the shim, build/losscorr and the experiments
	@+$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j 2) binaries shim # Go compiles while libtorch is fetched

# --- prerequisites and libtorch

$(BUILD)/.prerequisites: torch/libtorch/prerequisites.sh
	@sh torch/libtorch/prerequisites.sh go make cmake c++ $(if $(LIBTORCH),,python3) >/dev/null
	@mkdir -p $(BUILD) && touch $@

# Looked for each time, for LIBTORCH or Python's torch may have changed; the file
# is touched only when the answer has.
$(BUILD)/libtorch.dir: FORCE | $(BUILD)/.prerequisites
	@$(GO) run ./torch/libtorch/cmd/libtorch -dir $(BUILD)/libtorch -out $@ $(if $(RELEASE),-fetch $(RELEASE))

.PHONY: libtorch
libtorch: $(BUILD)/.prerequisites ## fetch libtorch into build/libtorch; CUDA=1 with all that a GPU needs
	@$(GO) run ./torch/libtorch/cmd/libtorch -dir $(BUILD)/libtorch -fetch $(or $(RELEASE),default) $(if $(CUDA),-cuda)

# --- the shim

# CMake refuses a folder that has moved since it was configured: it is configured again.
CONFIGURED_ELSEWHERE := $(shell for cache in $(BUILD)/cmake $(BUILD)/sanitize/cmake $(BUILD)/sanitize-thread/cmake; do \
	[ -f $$cache/CMakeCache.txt ] || continue; \
	{ grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$$(pwd -P)" $$cache/CMakeCache.txt || \
		grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$$(pwd)" $$cache/CMakeCache.txt; } && \
	{ grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$$(cd $$cache && pwd -P)" $$cache/CMakeCache.txt || \
		grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$$(cd $$cache && pwd)" $$cache/CMakeCache.txt; } || \
	{ rm -rf $$cache; echo $$cache; }; done)
ifneq ($(CONFIGURED_ELSEWHERE),)
$(info this folder has moved: $(CONFIGURED_ELSEWHERE) is configured again)
endif

$(BUILD)/cmake/.configured: $(BUILD)/libtorch.dir
	@$(CMAKE) -S . -B $(BUILD)/cmake $(GENERATOR) -DLIBTORCH="$$(cat $<)" \
		-DLOSSCORR_OUT="$(abspath $(BUILD))"
	@touch $@

.PHONY: shim shim-cuda
shim: $(BUILD)/cmake/.configured ## build the shim for the libtorch found
	@$(CMAKE) --build $(BUILD)/cmake --parallel $(JOBS)

shim-cuda: $(BUILD)/cmake/.configured ## build the CUDA shim, which needs no GPU
	@$(CMAKE) $(BUILD)/cmake -DLOSSCORR_CUDA=ON
	@$(CMAKE) --build $(BUILD)/cmake --parallel $(JOBS) --target losscorr_cuda

# --- programs

# The commit goes into each program, which writes it into the results: as Go's own stamp
# where git answers, whatever GOFLAGS says, and by the linker, for Go finds no commit in a
# working tree of git worktree. REVISION=... is for sources without git.
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null)
STAMP = -buildvcs=$(if $(shell git rev-parse HEAD 2>/dev/null),auto,false) -ldflags '-X github.com/losscorr/losscorr/internal/store.linked=$(REVISION)'

.PHONY: binaries
binaries: $(BUILD)/.prerequisites
	@mkdir -p $(BUILD)
	$(GO) build -trimpath $(STAMP) -o $(BUILD)/ ./cmd/... ./experiments/...

.PHONY: demo
demo: all ## train with 60 % of some MNIST labels flipped: three losses, one seed
	$(BUILD)/mnist demo $(NARROWED) $(ARGS)
	@echo "the whole block, about half an hour on two cores: make mnist"

# The six blocks of Table 2, ten losses under four noises each.
TABLE2 := mnist imdb-embedding imdb-lstm cifar10-resnet14 cifar10-resnet32 cifar100-resnet44

ifdef CLUSTER
$(foreach goal,$(filter demo clothing1m figures theory table2 table2-quick table3 robust,$(MAKECMDGOALS)),\
	$(error CLUSTER submits the blocks of Table 2 ($(TABLE2)), not $(goal)))
endif

.PHONY: $(TABLE2)
mnist: ## a block of Table 2, as the next five; QUICK=1 scaled down, to see the effect
imdb-embedding:
imdb-lstm:
cifar10-resnet14:
cifar10-resnet32:
cifar100-resnet44:
$(TABLE2): $(if $(CLUSTER),submitter) all
ifdef CLUSTER
	$(BUILD)/losscorr grid plan experiments/$@/$(if $(QUICK),quick,$@).yaml --out runs/$(if $(QUICK),quick/)$@ $(NARROWED) $(ARGS)
	$(BUILD)/losscorr grid submit $(CLUSTER) runs/$(if $(QUICK),quick/)$@ $(if $(SITE),--site $(SITE)) $(SUBMIT)
else
	$(BUILD)/$@ $(if $(QUICK),quick --out runs/quick/$@) $(NARROWED) $(ARGS)
endif

# Looked at before anything is built.
.PHONY: submitter
submitter:
	@case "$(CLUSTER)" in slurm) tool=sbatch ;; kubernetes) tool=kubectl ;; \
	*) echo 'CLUSTER=$(CLUSTER) is unknown: slurm or kubernetes' >&2; exit 2 ;; esac; \
	case ' $(SUBMIT) ' in *' --dry-run '*) exit 0 ;; esac; \
	command -v $$tool >/dev/null || { \
		echo "$$tool is not on the PATH: submit where the cluster's programs are (a login node), or see what would be submitted with SUBMIT=--dry-run" >&2; exit 1; }

.PHONY: clothing1m
clothing1m: all ## rows 4 to 8 of Table 3; ARGS="--data DIR weights=FILE"; QUICK=1 scaled down
	$(BUILD)/clothing1m $(if $(QUICK),quick --out runs/quick/clothing1m) $(NARROWED) $(ARGS)

.PHONY: table2 table2-quick table3
table2: $(if $(QUICK),table2-quick) all ## what there is of Table 2 beside the paper's; QUICK=1 runs all blocks scaled down
	$(BUILD)/losscorr report --table2 --out runs/$(if $(QUICK),quick,table2) $(TABLE2:%=runs/$(if $(QUICK),quick/)%)

# A block that lacks its data (exit code 65) or its device (69) says so, and the
# others go on.
define each_block
	@skipped=; for block in $(TABLE2); do \
		echo "--- $$block"; \
		$(BUILD)/$$block $(1) $(NARROWED) $(ARGS) || \
			case $$? in 65|69) skipped="$$skipped $$block" ;; *) exit 1 ;; esac; \
	done; \
	if [ -n "$$skipped" ]; then echo "skipped, for the reasons given above:$$skipped"; fi; echo
endef

table2-quick: all
	$(call each_block,quick --out runs/quick/$$block)

table3: all ## rows 4 to 8 of Table 3 beside the paper's, from the runs there are
	$(BUILD)/losscorr report --table3 --out runs/table3 runs/clothing1m runs/quick/clothing1m

.PHONY: figures theory
figures: all ## the paper's figures (a) to (f); BLOCK=imdb-lstm another one's runs; QUICK=1 all, scaled down
	$(BUILD)/figures $(if $(QUICK),quick) $(BLOCK) $(NARROWED) $(ARGS)

theory: all ## measure Theorems 1 to 4; ARGS="--trials 1000"
	$(BUILD)/theory $(ARGS)

# The first of these that there is.
CONTAINERS ?= $(firstword $(foreach tool,podman docker buildah,$(if $(shell command -v $(tool) 2>/dev/null),$(tool))))
IMAGE ?= losscorr

.PHONY: image
image: ## build a container image; IMAGE=registry/name:tag, CUDA=1 for GPUs
	$(if $(CONTAINERS),,$(error no podman, docker or buildah here))
	$(CONTAINERS) build --file Containerfile --tag $(IMAGE) --build-arg REVISION=$(REVISION) $(if $(CUDA),--build-arg SETUP=--cuda) $(ARGS) .

# The bill of materials says what is linked into the program, by the program itself. The tool is
# compiled by -trimpath, for its own hash is in the bill.
CYCLONEDX := $(abspath build/tools/cyclonedx-gomod-$(CYCLONEDX_VERSION))/cyclonedx-gomod
$(CYCLONEDX):
	@GOBIN=$(dir $@) GOFLAGS=-trimpath $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)

# The program, its shim prebuilt for releases of libtorch, and python/, as a package for pip:
# RELEASES="oldest default newest". A shim takes five minutes of a core.
RELEASES ?= default
.PHONY: wheel
wheel: $(BUILD)/libtorch.dir $(CYCLONEDX) ## build dist/losscorr-*.whl; RELEASES="oldest default newest" with shims for these releases of torch
	@GO='$(GO)' CMAKE='$(CMAKE)' GENERATOR='$(GENERATOR)' JOBS='$(JOBS)' CYCLONEDX='$(CYCLONEDX)' VERSION='$(VERSION)' \
		STAMP='-X github.com/losscorr/losscorr/internal/store.linked=$(REVISION)' sh tools/wheel/wheel.sh $(BUILD) $(RELEASES)

# --- checks

# A Python with what some tests compare with; where it cannot be had those are skipped,
# which CI does not allow.
SCRATCH_PYTHON := $(abspath build/scratch-python)
.PHONY: scratch-python
scratch-python:
	@if ! cmp -s internal/scratchpython/requirements.txt $(SCRATCH_PYTHON)/made; then \
		rm -rf $(SCRATCH_PYTHON) && mkdir -p $(dir $(SCRATCH_PYTHON)) && python3 -m venv $(SCRATCH_PYTHON) && \
		$(SCRATCH_PYTHON)/bin/python -m pip install --quiet --disable-pip-version-check -r internal/scratchpython/requirements.txt && \
		cp internal/scratchpython/requirements.txt $(SCRATCH_PYTHON)/made || \
		{ rm -rf $(SCRATCH_PYTHON); echo "no Python with TensorBoard and safetensors: tests that compare with them are skipped"; test -z "$$CI"; }; \
	fi

# Tests side by side are twice as many as processors: the longest wait for programs and for the disk.
# A package may take half an hour, for slow and busy machines.
.PHONY: test
test: all scratch-python ## run every test; the last line counts them
	@export LOSSCORR_REQUIRE_LIBTORCH=1; if [ -f $(SCRATCH_PYTHON)/made ]; then export LOSSCORR_SCRATCH_PYTHON=$(SCRATCH_PYTHON)/bin/python; fi; \
	$(GO) tool gotestsum --format standard-quiet -- -parallel $$(( 2 * $(JOBS) )) -timeout 30m $(TESTFLAGS) $(PACKAGES)

# Without tensors the race detector needs no shim of its own, and is fast.
.PHONY: test-race
test-race: ## the tests of the packages without tensors under Go's race detector
	$(GO) test -race -count 1 $(filter-out ./results/...,$(LIGHT)) ./internal/audit/review ./internal/rows ./internal/npy $(ARGS)

.PHONY: test-light
LIGHT := ./internal/config ./correction/annotators ./internal/store ./internal/grid/... ./internal/report/... ./internal/grid/cluster/... ./results/... ./internal/files ./internal/humanize ./internal/layers ./internal/shell ./correction/table
test-light: $(BUILD)/.prerequisites ## test the packages that need no tensors: seconds, without libtorch
	@$(GO) tool gotestsum --format standard-quiet -- $(TESTFLAGS) $(LIGHT)

# The code for GPUs on the stand-in of tools/standin, which is loaded in place of the CUDA
# shim, or with DEVICE=cuda:0 on a GPU of this machine. Without the times of training steps,
# which say nothing of a GPU.
STANDIN := $(abspath $(BUILD))/stand-in
.PHONY: stand-in test-device
stand-in: shim
	@grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$$(pwd -P)/tools/standin" $(STANDIN)/cmake/CMakeCache.txt || rm -rf $(STANDIN)/cmake
	@$(CMAKE) -S tools/standin -B $(STANDIN)/cmake $(GENERATOR) -DLIBTORCH="$$(cat $(BUILD)/libtorch.dir)" -DSTANDIN_OUT="$(STANDIN)" >/dev/null
	@$(CMAKE) --build $(STANDIN)/cmake --parallel $(JOBS)
	@ln -sf ../liblosscorr_shim.so $(STANDIN)/
	@sed 's/^cuda=.*/cuda=yes/; s/^cuda_reason=.*/cuda_reason=/' $(BUILD)/liblosscorr_shim.txt >$(STANDIN)/liblosscorr_shim.txt

test-device: binaries $(if $(DEVICE),all,stand-in) ## test the code for GPUs on a stand-in, without a GPU; DEVICE=cuda:0 on a GPU
	@export LOSSCORR_REQUIRE_LIBTORCH=1 LOSSCORR_TEST_DEVICE=$(or $(DEVICE),cuda:0) $(if $(DEVICE),,LOSSCORR_SHIM=$(STANDIN)/liblosscorr_shim.so); \
	$(BUILD)/losscorr doctor --device $$LOSSCORR_TEST_DEVICE --no-times >$(BUILD)/device.txt 2>&1 || { cat $(BUILD)/device.txt; exit 1; }; \
	tail -n 1 $(BUILD)/device.txt; \
	$(GO) tool gotestsum --format standard-quiet -- -count 1 $(TESTFLAGS) ./torch ./torch/nn ./torch/optim ./torch/export && \
	$(GO) tool gotestsum --format standard-quiet -- -count 1 -run 'Device|EveryNetwork|EndsItsRun|Exercise|Recorded' $(TESTFLAGS) ./internal/command ./internal/run/train

.PHONY: bench
bench: all ## training steps beside PyTorch's (PYTHON=..., ARGS='-device cuda:0'), and what Go adds to an operation
	@$(GO) run $(STAMP) ./tools/bench -python $(or $(PYTHON),python3) $(ARGS)

GOLANGCI := $(abspath build/tools/golangci-lint-$(GOLANGCI_VERSION))/golangci-lint
$(GOLANGCI):
	@GOBIN=$(dir $@) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

.PHONY: lint fmt
lint: $(GOLANGCI) ## gofmt, go vet, go mod tidy and the pinned golangci-lint, which it fetches
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run make fmt):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GOLANGCI) run --timeout 15m ./...

fmt: ## format the Go sources
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

# --- upkeep

.PHONY: notices release
notices: ## write THIRD_PARTY_NOTICES.txt, after a change of go.mod
	@sh tools/release/notices.sh > THIRD_PARTY_NOTICES.txt

VERSION = $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' embed.go)
RELEASED = losscorr-$(VERSION)-$(shell $(GO) env GOOS)-$(shell $(GO) env GOARCH)
release: ## the wheel, the program with its guides, what is linked into it (CycloneDX) and SHA256SUMS, in build/release
	@sh tools/release/notices.sh | diff -q - THIRD_PARTY_NOTICES.txt || { echo 'THIRD_PARTY_NOTICES.txt is out of date: run make notices' >&2; exit 1; }
	@rm -f dist/losscorr-$(VERSION)-*.whl
	@$(MAKE) --no-print-directory wheel RELEASE=default
	@sh tools/release/release.sh $(BUILD) $(VERSION) $(RELEASED)

.PHONY: clean distclean help FORCE
clean: ## remove what was built; a fetched libtorch stays
	@if [ -d $(BUILD) ]; then find $(BUILD) -mindepth 1 -maxdepth 1 ! -name libtorch ! -name libtorch.lock -exec rm -rf {} +; fi

distclean: ## remove what was built and what was fetched
	rm -rf $(BUILD)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z0-9 -]*:.*## / { printf "%-44s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

FORCE:
