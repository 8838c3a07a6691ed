# make demo    installs what is missing (Debian 12), builds, and shows mpivet at work
# make test    all tests; what they need is installed by scripts/setup.sh
# make build   bin/mpivet
# make check   linters, and that generated files are fresh
# make stress  random programs in great numbers (STRESS=10000 of them, or STRESS=10m; SEED=1 to repeat a run)
# make bench   the benchmarks against the budget (about 10 minutes; BENCH="-quick" for less than 2; BENCH="-tables" for others)

# Debian's Go fetches the version that go.mod names, unless told otherwise.
export GOTOOLCHAIN ?= auto
GO ?= go
VERSION := $(shell git describe --tags --dirty 2>/dev/null)

.PHONY: all build demo setup test stress check bench clean generate

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/mpivet ./cmd/mpivet

setup:
	scripts/setup.sh

demo: setup
	$(MAKE) build
	scripts/demo.sh

test:
	$(GO) vet ./...
	$(GO) test -timeout 25m ./...

STRESS ?= 10000
SEED ?= $(shell date +%s)
stress:
	$(GO) test -count 1 -timeout 0 ./internal/generate -stress $(STRESS) -from $(SEED)

generate:
	$(GO) generate ./...

check:
	scripts/check.sh

bench: build
	$(GO) run ./bench $(BENCH)

clean:
	rm -rf bin bench/out
