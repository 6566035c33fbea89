# Everything a change passes through. `make` alone lists what there is to run.

# Every module of the tree; a test in internal/house compares this list with the go.mod files it finds.
MODULES := . tools discordsim/clients/disgo discordsim/clients/discordgo discordsim/clients/discordjs

GO       ?= go
FUZZTIME ?= 10s
BENCH    ?= .
CACHE    := $(CURDIR)/.cache
BIN      := $(CACHE)/bin
SKIPS    := $(CACHE)/skips

# The vulnerability database is a Go module like any other; its version stands in tools/go.mod.
VULNDB_MODULE  := golang.org/x/vulndb
VULNDB_VERSION := $(shell awk '$$1 == "$(VULNDB_MODULE)" {print $$2}' tools/go.mod)
VULNDB         := $(CACHE)/vulndb-$(VULNDB_VERSION)

# $(call each,title,command) runs the command in every module, all of them even when one fails. A module that is listed
# and absent is skipped, which GAPLESS_REQUIRE=all does not allow.
define each
@failed=; for m in $(MODULES); do \
	if [ ! -f $$m/go.mod ]; then \
		echo "== $(1): skipped $$m, it has no go.mod"; \
		[ "$$GAPLESS_REQUIRE" != all ] || failed="$$failed $$m"; \
		continue; \
	fi; \
	echo "== $(1): $$m"; \
	(cd $$m && $(2)) || failed="$$failed $$m"; \
done; \
if [ -n "$$failed" ]; then echo "== $(1) failed in:$$failed"; exit 1; fi
endef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: check
check: fmt vet cross fix lint race vuln ## what a change must pass: fmt vet cross fix lint race vuln

.PHONY: test
test: ## test every module without cgo; needs Go and make only
	@mkdir -p $(CACHE) && rm -f $(SKIPS)
	$(call each,test,CGO_ENABLED=0 GAPLESS_SKIPS=$(SKIPS) $(GO) test -count=1 -timeout 10m ./...)
	@if [ -s $(SKIPS) ]; then sort -u $(SKIPS); fi

.PHONY: fmt
fmt: ## gofmt has nothing to change
	@out=$$(gofmt -l .) || exit 1; if [ -n "$$out" ]; then echo "run gofmt -w on:"; echo "$$out"; exit 1; fi

.PHONY: vet
vet: ## go vet is silent
	$(call each,vet,$(GO) vet ./...)

.PHONY: cross
cross: ## packages and tests of the root module compile for Windows and macOS
	@for os in windows darwin; do echo "== vet for $$os"; CGO_ENABLED=0 GOOS=$$os $(GO) vet ./... || exit 1; done

.PHONY: fix
fix: ## go fix has nothing to modernize
	$(call each,fix,$(GO) fix -diff ./...)

.PHONY: lint
lint: $(BIN)/.built ## staticcheck is silent
	$(call each,staticcheck,$(BIN)/staticcheck ./...)

.PHONY: race
race: ## run the tests, shortened, under the race detector; needs a C compiler
	@mkdir -p $(CACHE) && rm -f $(SKIPS)
	$(call each,race,CGO_ENABLED=1 GAPLESS_SKIPS=$(SKIPS) $(GO) test -race -short -count=1 -timeout 20m ./...)
	@if [ -s $(SKIPS) ]; then sort -u $(SKIPS); fi

.PHONY: vuln
vuln: $(BIN)/.built $(VULNDB) ## no known vulnerability of a dependency is reached
	$(call each,govulncheck,$(BIN)/govulncheck -db file://$(VULNDB) -format json ./... >$(CACHE)/vuln.json && $(BIN)/vulngate $(CACHE)/vuln.json)

.PHONY: build
build: ## build the commands into bin/, static
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/ ./cmd/...

.PHONY: bench
bench: ## run the benchmarks that match BENCH (all) once, with allocations
	$(call each,bench,$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...)

.PHONY: cover
cover: ## what the tests of the root module cover, as .cache/cover.html
	@mkdir -p $(CACHE)
	CGO_ENABLED=0 $(GO) test -short -coverpkg=./... -coverprofile=$(CACHE)/cover.out ./...
	$(GO) tool cover -html=$(CACHE)/cover.out -o $(CACHE)/cover.html
	$(GO) tool cover -func=$(CACHE)/cover.out | tail -1

.PHONY: fuzz
fuzz: ## fuzz each target of every module for FUZZTIME (10s)
	$(call each,fuzz,$(fuzz_module))

# A fuzz run takes one target of one package, so they are found by their names in the test files.
define fuzz_module
rc=0; for dir in $$($(GO) list -f '{{.Dir}}' ./...); do \
	for name in $$(cat $$dir/*_test.go 2>/dev/null | sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p'); do \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$dir || rc=1; \
	done; \
done; exit $$rc
endef

.PHONY: tidy
tidy: ## tidy the go.mod of every module
	$(call each,tidy,$(GO) mod tidy)

# The tools are built once per version of tools/go.mod, so that users of the library never see what they require.
$(BIN)/.built: tools/go.mod tools/go.sum $(wildcard tools/vulngate/*.go)
	@mkdir -p $(BIN)
	cd tools && CGO_ENABLED=0 $(GO) build -o $(BIN)/ ./vulngate honnef.co/go/tools/cmd/staticcheck \
		golang.org/x/vuln/cmd/govulncheck $(VULNDB_MODULE)/cmd/indexdb
	@touch $@

# The index is made aside and moved into place, so that a cut-off run leaves none.
$(VULNDB): $(BIN)/.built
	@rm -rf $@ $@.part
	dir=$$(cd tools && $(GO) mod download -json $(VULNDB_MODULE) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && \
		$(BIN)/indexdb -vulns "$$dir/data/osv" -out $@.part
	@mv $@.part $@ && touch $@
