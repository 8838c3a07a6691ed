# make demo        installs missing packages (Debian, Ubuntu), builds mpivet, and demonstrates it
# make test        installs missing packages, and runs all tests
# make examples    installs missing packages, and runs the examples, a part of make test (UNTIL=TIME: none begins after
#                  that time, in seconds since 1970; each runs with one MPI first; tells how many are left out)
# make quick       runs the tests that do not need MPI: they analyse recorded runs; prints the skipped tests
# make recordings  records the missing and stale runs of the examples (all of them: about 10 minutes)
# make build       builds bin/mpivet
# make check       runs the linters, and checks that generated files are up to date
# make stress      runs many random programs (STRESS=10000 of them, or STRESS=10m; SEED=1 to repeat a run)
# make torture     kills, limits, full disks, damaged files, foreign names: N=10 tries of each (about an hour)
# make bench       compares benchmarks with the budget (about 15 minutes; BENCH="-quick": less than 3; BENCH="-tables":
#                  other benchmarks)
# make dist        makes the files of a release in dist: binaries, packages, components; docs/install.md
# make dist-test   installs them in fresh systems: needs root and the network (about 20 minutes)

# Debian's Go downloads the version in go.mod, unless GOTOOLCHAIN is set to another value.
export GOTOOLCHAIN ?= auto
GO ?= go
# On amd64, mpivet checks before the start of Go's runtime whether limits are too small for it, and starts faster:
# cmd/mpivet/entry_linux_amd64.s
ENTRY := $(if $(filter amd64,$(shell $(GO) env GOARCH 2>/dev/null)),-E mpivet_entry)
# Without the tracing of gRPC, every process of mpivet starts faster.
TAGS := grpcnotrace
VERSION := $(shell git describe --tags --dirty --match 'v[0-9]*' 2>/dev/null)
BIN := bin/mpivet

.PHONY: all build demo setup test tests examples quick recordings stress torture check bench clean generate dist dist-test

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -tags "$(TAGS)" -o $(BIN) \
		-ldflags "-s -w $(ENTRY) -X github.com/mpivet/mpivet/internal/cli.version=$(VERSION)" ./cmd/mpivet

setup:
	scripts/setup.sh

demo: setup
	$(MAKE) build
	scripts/demo.sh

test:
	scripts/setup.sh dev
	$(MAKE) tests

# What make test does, without the installation of packages.
tests:
	$(GO) vet ./...
	LIVE_TESTS=1 $(GO) test -timeout 60m ./...

examples:
	scripts/setup.sh dev
	LIVE_TESTS=1 $(GO) -C examples test -timeout 60m $(if $(UNTIL),-until $(UNTIL))

# The same as go test ./..., but it also prints the skipped tests.
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
	rm -rf bin dist bench/out

dist:
	scripts/dist.sh

dist-test:
	scripts/setup.sh dist
	DIST_TESTS=1 $(GO) test -count 1 -timeout 2h -v ./packaging

# Torture makes N tries of each scenario with each MPI. ONLY is a regular expression for names of scenarios.
N ?= 10
ONLY ?= .
torture: build
	LIVE_TESTS=1 $(GO) test -count 1 -timeout 1h ./examples -thorough
	$(GO) run ./torture -n $(N) -only '$(ONLY)' -seed $(SEED)
