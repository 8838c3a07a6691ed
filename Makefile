# make demo    installs what is missing (Debian 12), builds, and shows mpivet at work
# make test    all tests; what they need is installed by scripts/setup.sh
# make quick   the tests that need no MPI: they analyse recorded runs; says what is skipped
# make recordings  renews recorded runs of the examples that are missing or stale (all of them: about 10 minutes)
# make build   bin/mpivet
# make check   linters, and that generated files are fresh
# make stress  random programs in great numbers (STRESS=10000 of them, or STRESS=10m; SEED=1 to repeat a run)
# make torture  kills, limits, full disks, damaged files, foreign names: N=10 tries of each (about an hour)
# make bench   the benchmarks against the budget (about 10 minutes; BENCH="-quick" for less than 2; BENCH="-tables" for others)

# Debian's Go fetches the version that go.mod names, unless told otherwise.
export GOTOOLCHAIN ?= auto
GO ?= go
# Limits that are too small for Go's runtime are noticed before it starts: cmd/mpivet/entry_linux_amd64.s
ENTRY := $(if $(filter amd64,$(shell $(GO) env GOARCH)),-E mpivet_entry)
VERSION := $(shell git describe --tags --dirty 2>/dev/null)

.PHONY: all build demo setup test quick recordings stress torture check bench clean generate

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w $(ENTRY) -X github.com/mpivet/mpivet/internal/cli.version=$(VERSION)" -o bin/mpivet ./cmd/mpivet

setup:
	scripts/setup.sh

demo: setup
	$(MAKE) build
	scripts/demo.sh

test:
	$(GO) vet ./...
	LIVE_TESTS=1 $(GO) test -timeout 60m ./...

# The same as go test ./..., which does not say what it skips.
quick:
	$(GO) test -json ./... | $(GO) run ./scripts/skipped

recordings:
	LIVE_TESTS=1 $(GO) test -count 1 -timeout 2h ./examples -run '^TestExamples$$' -renew

STRESS ?= 10000
SEED ?= $(shell date +%s)
stress:
	LIVE_TESTS=1 $(GO) test -count 1 -timeout 0 ./internal/testkit/generate -stress $(STRESS) -from $(SEED)

generate:
	$(GO) generate ./...

check:
	scripts/check.sh

bench: build
	$(GO) run ./bench $(BENCH)

clean:
	rm -rf bin bench/out

# Torture: N tries of each scenario with each MPI; ONLY is a regular expression for names of scenarios.
N ?= 10
ONLY ?= .
torture: build
	LIVE_TESTS=1 $(GO) test -count 1 -timeout 1h ./examples -thorough
	$(GO) run ./torture -n $(N) -only '$(ONLY)' -seed $(SEED)
