# Everything needs only Go, make and a shell: no variables, no services. PostgreSQL is found on the machine or fetched.
#
#   make run        build and start the whole service on 127.0.0.1:8080, with its own PostgreSQL
#   make test       run every test, against a real PostgreSQL that it starts itself
#   make test-long  also run the slow tests: faults, browsers
#   make lint       run the linters
#   make vulncheck  look for known vulnerabilities in called code; needs https://vuln.go.dev or a mirror
#   make bench      measure, and write the results into docs/performance.md

# Git refuses to work in a checkout that belongs to another user; the build must not depend on it.
export GOFLAGS := -buildvcs=false $(GOFLAGS)

# An empty environment has no place for Go's caches, and maybe no PATH to find Go.
export PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin):/usr/local/go/bin
ifeq ($(and $(HOME),$(wildcard $(HOME)/.)),)
export HOME := $(CURDIR)/.cache/home
endif
# The exports above reach the recipes, but not $(shell).
with = export PATH='$(PATH)' HOME='$(HOME)'; mkdir -p "$$HOME";

VERSION := $(shell $(with) git describe --tags --always --dirty 2>/dev/null || echo development)
# The race detector needs a C compiler.
RACE := $(shell $(with) command -v $${CC:-cc} >/dev/null 2>&1 && [ "$$(go env CGO_ENABLED)" = 1 ] && echo -race)

.PHONY: run build test test-long lint vulncheck generate check-generated bench fmt clean

run: build
	@./rowan serve --sample

build:
	@CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o rowan ./cmd/rowan

# The tests of store take the longest, and often wait for PostgreSQL: they begin first, and several at once.
test:
	@[ -n "$(RACE)" ] || echo 'No C compiler: the tests run without the race detector (install gcc or clang for it).'
	go test $(RACE) -timeout 20m -parallel 4 ./store ./...

test-long:
	go test $(RACE) -timeout 60m -tags 'long browser' ./...

lint:
	@sh .ci/lint

vulncheck:
	@sh .ci/vulncheck

# The OpenAPI documents, the clients, and everything else that is generated from the code.
generate:
	go generate ./...
	@if command -v npm >/dev/null 2>&1; then cd openapi/typescript && npm ci --silent && npm run --silent generate; \
	else echo 'No npm: the types of the TypeScript client stay as they are.'; fi

check-generated: generate
	@git diff --exit-code -- openapi docs || { echo 'Generated files were out of date: commit the changes of make generate.'; exit 1; }

bench: build
	go run ./bench $(BENCH)

fmt:
	go fmt ./...

clean:
	@chmod -R u+w .cache 2>/dev/null || true
	rm -rf rowan .cache
