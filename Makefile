# losscorr: `make` builds, `make demo` shows the main result, `make help` lists the rest.
#
#   LIBTORCH=DIR    use this libtorch instead of python3's or a fetched one
#   BUILD=DIR       build there instead of in ./build
#   REVISION=...    the commit of sources without git
#   ARGS=...        more arguments for the experiment
#   QUICK=1         scale the experiment down
#   SEEDS=1-3  PRESET=code  NOISE=asymmetric:.6  LOSS=forward  DEVICE=cuda:0
#                   do part of the experiment, or do it on another device
#   CLUSTER=slurm   submit a block of Table 2 instead of running it here; or CLUSTER=kubernetes
#   SITE=FILE       the cluster's options (docs/clusters.md); SUBMIT=... more flags

BUILD ?= build
GO ?= go
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
TEST = $(GO) tool gotestsum --format standard-quiet -- -vet=off
PACKAGES ?= ./...
LIGHT := ./internal/config ./correction/annotators ./internal/store ./internal/grid/... ./internal/report/... ./results/... ./internal/files ./internal/humanize ./internal/layers ./internal/shell ./correction/table
TABLE2 := mnist imdb-embedding imdb-lstm cifar10-resnet14 cifar10-resnet32 cifar100-resnet44
NARROWED = $(if $(SEEDS),--seeds $(SEEDS)) $(if $(PRESET),--preset $(PRESET)) $(if $(DEVICE),--device $(DEVICE)) \
	$(if $(NOISE),--noise $(NOISE)) $(if $(LOSS),--loss $(LOSS))

# The commit goes into each program, and from there into the results. Go's own stamp is used where git answers, whatever
# GOFLAGS says; the linked one is for a working tree of git worktree, where Go finds no commit.
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null)
STAMP = -buildvcs=$(if $(shell git rev-parse HEAD 2>/dev/null),auto,false) -ldflags '-X github.com/losscorr/losscorr/internal/store.linked=$(REVISION)'

include .ci/versions

ifneq ($(BUILD),build)
export LOSSCORR_SHIM := $(abspath $(BUILD))/liblosscorr_shim.so
endif

all: ## build the shim, build/losscorr and the experiments
	@+$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j 2) binaries shim # Go compiles while libtorch is fetched

$(BUILD)/.prerequisites: torch/libtorch/prerequisites.sh
	@sh torch/libtorch/prerequisites.sh go make cmake c++ $(if $(LIBTORCH),,python3) >/dev/null
	@mkdir -p $(BUILD) && touch $@

# Checked each time, as LIBTORCH or Python's torch may have changed; written only when the folder has.
$(BUILD)/libtorch.dir: FORCE | $(BUILD)/.prerequisites
	@$(GO) run ./torch/libtorch/cmd/libtorch -dir $(BUILD)/libtorch -out $@ $(if $(RELEASE),-fetch $(RELEASE))

libtorch: $(BUILD)/.prerequisites ## fetch libtorch into build/libtorch; CUDA=1 with all that a GPU needs
	@$(GO) run ./torch/libtorch/cmd/libtorch -dir $(BUILD)/libtorch -fetch $(or $(RELEASE),default) $(if $(CUDA),-cuda)

shim: $(BUILD)/libtorch.dir ## build the shim for the libtorch found
	@sh torch/libtorch/configure.sh . $(BUILD)/cmake -DLIBTORCH="$$(cat $<)" -DLOSSCORR_OUT="$(abspath $(BUILD))" $(SHIM_OPTIONS)
	@cmake --build $(BUILD)/cmake --parallel $(JOBS)

shim-cuda: SHIM_OPTIONS = -DLOSSCORR_CUDA=ON
shim-cuda: shim ## build the CUDA shim as well; no GPU is needed

binaries: $(BUILD)/.prerequisites
	@mkdir -p $(BUILD)
	$(GO) build -trimpath $(STAMP) -o $(BUILD)/ ./cmd/... ./experiments/...

# --- experiments

ifdef CLUSTER # checked before anything is built
$(foreach goal,$(filter demo clothing1m figures theory table2 table3,$(MAKECMDGOALS)),\
	$(error CLUSTER submits the blocks of Table 2 ($(TABLE2)), not $(goal)))
$(if $(filter $(TABLE2),$(MAKECMDGOALS)),$(if $(filter slurm kubernetes,$(CLUSTER)),,$(error CLUSTER=$(CLUSTER) is unknown: slurm or kubernetes)))
endif

demo: all ## train with 60 % of some MNIST labels flipped: three losses, one seed
	$(BUILD)/mnist demo $(NARROWED) $(ARGS)
	@echo "the whole block, about half an hour on two cores: make mnist"

TABLE3 := runs/$(if $(QUICK),quick/)clothing1m
clothing1m: all ## Table 3 with ARGS="--data DIR weights=FILE"; QUICK=1 scaled down
	$(BUILD)/clothing1m $(if $(QUICK),quick --out $(TABLE3)) $(NARROWED) $(ARGS)
	$(BUILD)/clothing1m $(if $(QUICK),quick-)clean --out $(TABLE3) $(NARROWED) $(ARGS)
	$(BUILD)/clothing1m $(if $(QUICK),quick-)fine-tune --out $(TABLE3) $(NARROWED) $(ARGS) \
		weights=$$(dirname $$(grep -l '^loss: forward$$' $(TABLE3)/*/config.yaml | head -1))/checkpoints/best.safetensors

$(TABLE2): all ## a block of Table 2; QUICK=1 scaled down
ifdef CLUSTER
	$(BUILD)/losscorr grid plan experiments/$@/$(if $(QUICK),quick,$@).yaml --out runs/$(if $(QUICK),quick/)$@ $(NARROWED) $(ARGS)
	$(BUILD)/losscorr grid submit $(CLUSTER) runs/$(if $(QUICK),quick/)$@ $(if $(SITE),--site $(SITE)) $(SUBMIT)
else
	$(BUILD)/$@ $(if $(QUICK),quick --out runs/quick/$@) $(NARROWED) $(ARGS)
endif

# A block without its data (exit code 65) or its device (69) is skipped; the others go on.
table2: all ## what there is of Table 2 beside the paper's; QUICK=1 first runs all blocks scaled down
	$(if $(QUICK),@for block in $(TABLE2); do echo "--- $$block"; \
		$(BUILD)/$$block quick --out runs/quick/$$block $(NARROWED) $(ARGS) || case $$? in (65|69) ;; (*) exit 1 ;; esac; done)
	$(BUILD)/losscorr report --table2 --out runs/$(if $(QUICK),quick,table2) $(TABLE2:%=runs/$(if $(QUICK),quick/)%)

table3: all ## rows 4 to 8 of Table 3 beside the paper's, from the runs there are
	$(BUILD)/losscorr report --table3 --out runs/table3 runs/clothing1m runs/quick/clothing1m
figures: all ## the paper's figures (a) to (f); BLOCK=imdb-lstm of another block; QUICK=1 all, scaled down
	$(BUILD)/figures $(if $(QUICK),quick) $(BLOCK) $(NARROWED) $(ARGS)
theory: all ## measure Theorems 1 to 4; ARGS="--trials 1000"
	$(BUILD)/theory $(ARGS)

# --- checks

# A Python for tests that compare with other programs; where pip cannot install it they are skipped, except in CI.
build/scratch-python/made: internal/scratchpython/requirements.txt
	@python3 -m venv --clear $(@D) && $(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $< && touch $@ || \
		{ rm -rf $(@D); echo "no Python with numpy and safetensors: tests that compare with them are skipped"; test -z "$$CI"; }

# The longest tests wait for programs and the disk, so twice as many run at a time as there are processors. go vet is a
# part of make lint.
test: all build/scratch-python/made ## run every test; the last line counts them
	@export LOSSCORR_REQUIRE_LIBTORCH=1; [ ! -f $(word 2,$^) ] || export LOSSCORR_SCRATCH_PYTHON=$(abspath $(dir $(word 2,$^)))/bin/python; \
	$(TEST) -parallel $$(( 2 * $(JOBS) )) -timeout 30m $(TESTFLAGS) $(PACKAGES)

test-light: $(BUILD)/.prerequisites ## test the packages that need no tensors: seconds, without libtorch
	@$(TEST) $(TESTFLAGS) $(LIGHT)
test-race: ## the tests of the packages without tensors under Go's race detector
	$(GO) test -race -count 1 $(filter-out ./results/...,$(LIGHT)) ./internal/audit/review ./internal/rows ./internal/npy $(ARGS)

test-device: binaries $(if $(DEVICE),all,shim) ## test the code for GPUs on a stand-in, without a GPU; DEVICE=cuda:0 on a GPU
	@GO='$(GO)' JOBS='$(JOBS)' TESTFLAGS='$(TESTFLAGS)' sh tools/standin/test.sh $(BUILD) $(DEVICE)

bench: all ## training steps beside PyTorch's (PYTHON=..., ARGS='-device cuda:0'), and what Go adds to an operation
	@$(GO) run $(STAMP) ./tools/bench -python $(or $(PYTHON),python3) $(ARGS)

SOURCES = $$(git ls-files -co --exclude-standard '*.go')
lint: ## gofmt, go vet, go mod tidy and the pinned golangci-lint, which it fetches
	@unformatted=$$(gofmt -l $(SOURCES)) && test -z "$$unformatted" || { echo "not formatted (run make fmt): $$unformatted" >&2; exit 1; }
	$(GO) mod tidy -diff
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) run --timeout 15m ./...
fmt: ## format the Go sources
	gofmt -w $(SOURCES)

# --- packages and upkeep

wheel: $(BUILD)/libtorch.dir ## build dist/losscorr-*.whl; RELEASES="oldest default newest" with shims for these releases of torch, five minutes each
	@GO='$(GO)' JOBS='$(JOBS)' REVISION='$(REVISION)' sh tools/wheel/wheel.sh $(BUILD) $(or $(RELEASES),default)
release: ## the wheel, the program with its guides, what is linked into it (CycloneDX) and SHA256SUMS, in build/release
	@sh tools/release/release.sh $(BUILD)
image: ## build a container image; IMAGE=registry/name:tag, CUDA=1 for GPUs
	$(or $(CONTAINERS),$(shell command -v podman || command -v docker || command -v buildah),$(error no podman, docker or buildah here)) \
		build --file Containerfile --tag $(or $(IMAGE),losscorr) --build-arg REVISION=$(REVISION) $(if $(CUDA),--build-arg SETUP=--cuda) $(ARGS) .

notices: ## write THIRD_PARTY_NOTICES.txt, after a change of go.mod
	@sh tools/release/notices.sh > THIRD_PARTY_NOTICES.txt

clean: ## remove what was built; a fetched libtorch stays
	@rm -rf $(filter-out %/libtorch %/libtorch.lock,$(wildcard $(BUILD)/* $(BUILD)/.prerequisites))
distclean: ## remove what was built and what was fetched
	rm -rf $(BUILD)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z$$].*:.*## / { sub(/\$$\(TABLE2\)/, "$(TABLE2)", $$1); n = split($$1, targets, " "); \
		for (i = 1; i <= n; i++) printf "%-22s%s\n", targets[i], $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: all libtorch shim shim-cuda binaries demo $(TABLE2) clothing1m table2 table3 figures theory test test-light test-race \
	test-device bench lint fmt wheel release image notices clean distclean help FORCE
