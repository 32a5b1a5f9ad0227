# What a developer and the continuous integration run; the same names for both.

SWIFT ?= swift
RELEASE := -c release --static-swift-stdlib
SOURCES := Package.swift Sources Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources) \
	$(wildcard Fuzz/Package.swift Fuzz/Sources)

.PHONY: help deps build release test demo lint format bench docs check reliability reference graph tsan asan \
	simulate soak fuzz abuse mutants nightly clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 13

deps: ## install the Debian packages that are missing
	@Scripts/deps

build: deps ## build for development
	$(SWIFT) build

release: deps ## build the programs as they are shipped, with the Swift library linked in
	$(SWIFT) build $(RELEASE)

test: deps ## build and run all tests except the house rules; ARGS="--filter Name"
	@SWIFT="$(SWIFT)" Scripts/test $(ARGS)

demo: release ## run two devices with one track; ARGS=--once ends by itself, LOG=path uses your file
	@BIN="$$($(SWIFT) build $(RELEASE) --show-bin-path)" LOG="$(LOG)" Scripts/demo $(ARGS)

lint: deps ## check the format, the list of mutants and the house rules
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	@Scripts/mutants --check
	@SWIFT="$(SWIFT)" Scripts/test house

format: ## format the sources
	$(SWIFT) format --in-place --recursive $(SOURCES)

bench: deps ## print the promised counts, and fail if one is broken; ARGS=--json
	$(SWIFT) build $(RELEASE) --package-path Benchmarks
	"$$($(SWIFT) build $(RELEASE) --package-path Benchmarks --show-bin-path)/Benchmarks" $(ARGS)

docs: build ## build the documentation of SyncCore; a broken link is an error
	@Scripts/docs

check: lint test docs ## run all that a patch must pass

reliability: deps ## write the table of failures and their tests into docs/RELIABILITY.md
	@WAKE_RELIABILITY=write SWIFT="$(SWIFT)" Scripts/test --filter ReliabilityTests

reference: deps ## write the page of all kinds of data into docs/COLLECTIONS.md
	@WAKE_REFERENCE=write SWIFT="$(SWIFT)" Scripts/test --filter ReferenceTests

graph: deps ## print which folder uses which other, by the compiler's index
	@WAKE_GRAPH="$(CURDIR)/.build/test-logs/graph.txt" SWIFT="$(SWIFT)" \
		Scripts/test --filter LayersTests >&2
	@cat .build/test-logs/graph.txt

tsan: deps ## run the tests under the thread sanitizer
	@TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt \
		SWIFT="$(SWIFT)" Scripts/test --sanitize thread

asan: deps ## run the tests under the address sanitizer
	@ASAN_OPTIONS=detect_leaks=0 SWIFT="$(SWIFT)" Scripts/test --sanitize address

simulate: deps ## run simulated fleets; SEED=n prints one run; SEEDS=n, SCHEDULES=n, ACCIDENTS=a,b
	@SEED="$(SEED)" SEEDS="$(SEEDS)" STEPS="$(STEPS)" ACCIDENTS="$(ACCIDENTS)" \
		SCHEDULES="$(SCHEDULES)" SWIFT="$(SWIFT)" Scripts/simulate

soak: deps ## run simulated fleets for hours, and resume after an interruption; SEEDS=200000, FRESH=1
	@SEEDS="$(SEEDS)" FRESH="$(FRESH)" SWIFT="$(SWIFT)" Scripts/simulate soak

fuzz: deps ## fuzz every reader, SECONDS=60 each; TARGET=one of Fuzz/Corpora
	@SECONDS_EACH="$(or $(SECONDS),60)" TARGET="$(TARGET)" SWIFT="$(SWIFT)" Scripts/fuzz

abuse: release ## attack a server as a stranger could
	Scripts/abuse "$$($(SWIFT) build $(RELEASE) --show-bin-path)/wake-server"

mutants: deps ## insert known bugs into a copy, and check that a test finds each; MUTANT=id for one
	@MUTANT="$(MUTANT)" AGAIN="$(AGAIN)" TESTS="$(TESTS)" SWIFT="$(SWIFT)" Scripts/mutants

nightly: deps ## run sanitizers, long fuzzing and soaks for hours; resumes after an interruption
	@AGAIN="$(AGAIN)" Scripts/nightly

clean: ## remove what was built
	rm -rf .build Benchmarks/.build Fuzz/.build
