# Sukoon's commands. `make run` starts the practice, `make test` runs every test, `make check` runs
# what needs no database. What is up to date is not built again: cargo, npm and the stamps below see
# to that.

SHELL := /bin/sh
.DEFAULT_GOAL := run
.DELETE_ON_ERROR:
# Steps speak to the person in order; cargo uses all cores by itself.
.NOTPARALLEL:

# How long `make chaos` lets faults strike, and what they are drawn with (empty: by chance).
MINUTES ?= 20
SEED ?=

# What property tests draw from. A gate plays the same cases each time; `make prove` draws fresh ones.
export PROPTEST_RNG_SEED ?= 1

# PROFILE=release builds as for production: slower to build, faster to run.
PROFILE ?= dev
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
PROGRAMS := $(TARGET_DIR)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
SUKOON := $(PROGRAMS)/sukoon

# What is built for use has a heap of its own, jemalloc's; to build it would delay every fresh test run.
FEATURES := $(if $(filter dev,$(PROFILE)),,--features services/jemalloc)

# The whole workspace, so that dependencies are built with the same features as for the tests, once.
BUILD := cargo build --locked --profile $(PROFILE) $(FEATURES) --workspace
# What `sukoon up` starts; the other programs are tools of tests and measurements.
STARTED := $(addprefix --bin ,checker sandbox services sukoon)

# LINT=built lints what is compiled while it is compiled, so that a run which compiles everything
# needs no pass of clippy before (.ci/run).
LINT ?=
ifeq ($(LINT),built)
export RUSTC_WORKSPACE_WRAPPER := clippy-driver
export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
endif

WEB := web
WEB_BIN := node_modules/.bin
# What the built site depends on, besides the practice's own files.
WEB_SOURCES := $(WEB)/src $(WEB)/public $(WEB)/index.html $(WEB)/vite.config.ts \
	$(WEB)/package-lock.json $(WEB)/tsconfig.json docs/stored.csv
WEB_STAMP := $(WEB)/node_modules/.sukoon-built

# PRACTICE_DIR=<folder> is a practice of one's own. What is started here runs in several folders, so
# that a relative one is made whole.
ifneq ($(PRACTICE_DIR),)
override PRACTICE_DIR := $(if $(filter /%,$(firstword $(PRACTICE_DIR))),,$(CURDIR)/)$(PRACTICE_DIR)
export PRACTICE_DIR
endif

.PHONY: run test check simulate mails programs build practice web web-packages tools help
.PHONY: lighthouse lighthouse-packages screenshots
.PHONY: test-rust test-web test-e2e chaos bench check-rust check-proto check-generated check-web
.PHONY: check-dependencies advisories
.PHONY: alerts check-deploy

help:
	@echo "make run    start the practice (PORT, SANDBOX_PORT and SUKOON_DATA move it;"
	@echo "            PRACTICE_DIR is the folder of a practice of your own)"
	@echo "make test   run every test: Rust, web, browser"
	@echo "            (make test-web, test-rust, test-e2e: one of these; ONLY=refunds: a part by its name)"
	@echo "make test-service SERVICE=booking  one service's own tests; ONLY=packages some of them"
	@echo "make chaos  faults at random for MINUTES=20 and, if you like, SEED=...; nothing may be lost"
	@echo "            and then the failover drills; make failover DRILL=sync runs one of them"
	@echo "make upgrade-drill OLD=<folder of an earlier release's programs>  there, back and there again"
	@echo "make bench  how fast and how small it is, each figure beside a limit measured in the same run;"
	@echo "            ONLY=bookings,memory measures some (tests/load/README.md names them)"
	@echo "make siege  hostile clients attack it while honest ones book; fails when one of these is refused"
	@echo "make scale  PRACTICES=10 side by side on one PostgreSQL and one NATS server: what each takes"
	@echo "make mails  every mail as files and pictures, into target/mails"
	@echo "make lighthouse   every public page on a phone, medians of RUNS=5; ROUTES='/ /faq' picks some,"
	@echo "                  URL=http://127.0.0.1:8080 measures a practice that runs already"
	@echo "make clips  the services' clips anew, for who changes them (needs ffmpeg)"
	@echo "make screenshots  every page in both themes and two widths, into web/screenshots/pages;"
	@echo "                  URL=http://127.0.0.1:8080 pictures a practice that runs already"
	@echo "make alerts every alert's own test, with Prometheus' promtool"
	@echo "make check  formatting, lints, house rules, the contract, types, dependencies"
	@echo "make check-deploy  the manifests for Kubernetes: rendered, validated, held to our policies (needs kubectl)"
	@echo "make advisories  the known vulnerabilities of dependencies anew (needs the network)"
	@echo "make deb    a Debian package for a server of your own (deploy/vm/README.md)"
	@echo "make images OCI images for a cluster (deploy/images/README.md); \`make check-images\` builds them"
	@echo "            again, reads and starts them, as root"
	@echo "make simulate  RUNS=1000000 booking attempts with every fault; RUNS=0 SEED=7 replays one"
	@echo "make prove  the long proofs, whole, and ten thousand attempts that no run has played yet; it notes"
	@echo "            in tests/proved.txt what was proved, and make test then plays a tenth of it"

run: tools programs web
	@exec $(SUKOON) up

# ── What has to be there ────────────────────────────────────────────────────────────────────────

tools:
	@command -v cargo >/dev/null 2>&1 || { echo \
	  "Rust is missing: install it with rustup, then try again." >&2; exit 1; }
	@command -v cc >/dev/null 2>&1 || { echo \
	  "A C compiler is missing: install gcc or clang (on Debian: build-essential)." >&2; exit 1; }
	@command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { echo \
	  "Node.js 20 or newer with npm is missing: install it, then try again." >&2; exit 1; }
	@node -e 'process.exit(parseInt(process.versions.node, 10) < 20 ? 1 : 0)' || { echo \
	  "Node.js 20 or newer is needed, but this is $$(node --version)." >&2; exit 1; }

programs: tools
	@echo "· building what runs (the first time takes some minutes)"
	@$(BUILD) $(STARTED)

build: tools
	@echo "· building all programs (the first time takes some minutes)"
	@$(BUILD) --bins

# A copy of the lock file says what was installed, so that changing branches installs only what
# really changed. Not `npm ci`: it refuses a lock file that leaves out other platforms' optional
# packages, and not every registry serves those. The lock's versions and hashes hold here too. No
# package runs a script of its own: none of ours needs one.
web-packages: tools
	@cd $(WEB) && if ! cmp -s package-lock.json node_modules/.sukoon-installed; then \
	  echo "· installing the web packages"; \
	  npm install --no-save --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.sukoon-installed; \
	fi

# A practice of one's own gets the files that came with this version before the pages are made of it.
practice: programs
	@$(SUKOON) complete-practice

ifneq ($(PRACTICE_DIR),)
web: practice
endif

# The stamp holds every file's name, too: another practice is another site, whatever is in its files.
# It goes before anything is built, because a build that fails leaves no whole site behind.
web: web-packages
	@practice="$${PRACTICE_DIR:-deploy/local/practice}"; \
	now=$$({ find $(WEB_SOURCES) -type f; \
	    find -L "$$practice/." -name '.?*' -prune -o -type f -print; } \
	  | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cksum | cksum); \
	if [ ! -f $(WEB)/dist/index.html ] || [ "$$now" != "$$(cat $(WEB_STAMP) 2>/dev/null)" ]; then \
	  echo "· building the web pages"; rm -f $(WEB_STAMP); \
	  (cd $(WEB) && npm run --silent build) > $(WEB_STAMP).log 2>&1 \
	    || { cat $(WEB_STAMP).log >&2; exit 1; }; \
	  echo "$$now" > $(WEB_STAMP); \
	fi

# ── Tests ───────────────────────────────────────────────────────────────────────────────────────

# What takes seconds comes first, because it tells most mistakes.
test: test-plan test-web test-rust test-e2e

.PHONY: test-plan
test-plan:
	@echo "· web tests (some 2 minutes on two cores), Rust tests (15), browser tests (12)"

# A part of the tests: of a name for Rust, of a file's name for the pages and the browser.
ONLY ?=

# A test mostly waits, for a database or for a time to be over: so many test programs run at once, and
# so many tests in each of them. ONLY=<part of a test's name> runs those alone.
TEST_PROGRAMS ?= 2
ONLY_TESTS = $(if $(ONLY),--only "$(ONLY)")
RUST_TEST_THREADS ?= 3

# The system tests start the programs and the site themselves, and two tests speak to our servers
# with the browser's own libraries, so all of that is there first.
test-rust: build web
	@echo "· Rust tests, on PostgreSQL and NATS of their own"
	@$(SUKOON) prepare --caldav
	@$(SUKOON) prepare --backups
	@RUST_TEST_THREADS=$(RUST_TEST_THREADS) $(SUKOON) test-services -- \
	  node tests/runner/run.mjs $(TEST_PROGRAMS) $(ONLY_TESTS) --locked --profile $(PROFILE) --workspace \
	  $(if $(filter built,$(LINT)),--all-targets)

# One service's own tests, for after a change in it: make test-service SERVICE=payments, and of these
# ONLY=refunds. `sukoon test-services` leaves the servers running between such runs. The package
# `services` has no such tests and all dependencies, so these are not built again with fewer features.
SERVICE ?= booking
SERVICE_TEST_THREADS ?= 6

.PHONY: test-service
test-service: web-packages
	@[ -x $(SUKOON) ] || $(MAKE) --no-print-directory programs
	@RUST_TEST_THREADS=$(SERVICE_TEST_THREADS) $(SUKOON) test-services -- \
	  node tests/runner/run.mjs 2 $(ONLY_TESTS) --profile $(PROFILE) --package $(SERVICE) \
	  --package services --lib --test '*'

test-web: web-packages
	@echo "· web tests"
	@cd $(WEB) && npm test --silent $(if $(ONLY),-- $(ONLY))
	@$(if $(ONLY),:,node --test --test-reporter=spec $(LIGHTHOUSE)/*.test.mjs tests/runner/*.test.mjs \
	  deploy/images/*.test.mjs)

test-e2e: programs web
	@$(SUKOON) prepare --browser
	@echo "· browser tests"
	@cd $(WEB) && CHROME_PATH="$$(../$(SUKOON) paths browser)" \
	  SUKOON_PROGRAM="$$(cd .. && pwd)/$(SUKOON)" npm run --silent e2e $(if $(ONLY),-- $(ONLY))

# Every mail in every form as files and as pictures, on a phone and on a desk, in light and in dark.
MAILS := $(TARGET_DIR)/mails

mails: build web-packages
	@$(SUKOON) prepare --browser
	@rm -rf $(MAILS)
	@PRACTICE_DIR=deploy/local/practice $(PROGRAMS)/notifications render $(MAILS)
	@mails=$$(cd $(MAILS) && pwd) && cd $(WEB) && CHROME_PATH="$$(../$(SUKOON) paths browser)" \
	  node tools/mail-pictures.mjs "$$mails"

# ── Looking at the site ─────────────────────────────────────────────────────────────────────────

# Both start a practice of their own, unless URL says where one runs that is to be looked at. They
# take the shell's place, so that a signal to us reaches them, and they end their practice.
URL ?=
ROUTES ?=
WITH_PRACTICE = cd $(WEB) && exec env CHROME_PATH="$$(../$(SUKOON) paths browser)" \
	SUKOON_PROGRAM="$$(cd .. && pwd)/$(SUKOON)" SUKOON_URL="$(URL)" node tools/with-practice.mjs

# Lighthouse is large, so it has a lock of its own that nothing else installs.
LIGHTHOUSE := tests/lighthouse

lighthouse-packages: tools
	@cd $(LIGHTHOUSE) && if ! cmp -s package-lock.json node_modules/.sukoon-installed; then \
	  echo "· installing Lighthouse"; \
	  npm install --no-save --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.sukoon-installed; \
	fi

# How often each page is opened; the table has the medians.
lighthouse: RUNS := 5
lighthouse: programs web lighthouse-packages
	@$(SUKOON) prepare --browser
	@mkdir -p $(TARGET_DIR)/lighthouse
	@report=$$(cd $(TARGET_DIR)/lighthouse && pwd) && export RUNS=$(RUNS) ROUTES="$(ROUTES)" && \
	  $(WITH_PRACTICE) node ../$(LIGHTHOUSE)/measure.mjs "$$report"

screenshots: programs web
	@$(SUKOON) prepare --browser
	@$(WITH_PRACTICE) node tools/screenshots.mjs

# The clips of the services, drawn and composed anew by web/tools/service-clips.mjs. What it makes is
# committed, so that only who changes them needs ffmpeg.
.PHONY: clips
clips: build web-packages
	@command -v ffmpeg >/dev/null 2>&1 || { echo \
	  "ffmpeg is missing: install it from your distribution, then try again." >&2; exit 1; }
	@$(SUKOON) prepare --browser
	@media=$$(cd deploy/local/practice/media && pwd) && cd $(WEB) && \
	  CHROME_PATH="$$(../$(SUKOON) paths browser)" node tools/service-clips.mjs "$$media"

# RUNS booking attempts in the simulator, from SEED on; RUNS=0 replays the run of one SEED.
RUNS ?= 100000
SEED ?= 0

simulate: build
	@$(PROGRAMS)/simulate $(RUNS) $(SEED)

# The long proofs, whole, and property tests and ten thousand attempts from fresh seeds: from PROVE_SEED
# on or from one drawn by chance. A seed that fails becomes an entry of the corpus (tests/simulation/README.md). What
# has passed is noted in tests/proved.txt: commit it with the change, and `make test` plays a tenth.
PROVE_SEED ?=
PROVED_PROGRAMS := $(addprefix --test ,failpoints kept kills short_chaos)

.PHONY: prove
prove: build web
	@seed="$(PROVE_SEED)"; seed=$${seed:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; \
	echo "· the long proofs, from seed $$seed on; make prove PROVE_SEED=$$seed plays them again"; \
	export SUKOON_PROVE_SEED=$$seed PROPTEST_RNG_SEED=$$seed; \
	export SUKOON_WHOLE_PROOFS="$$(node tests/runner/proofs.mjs names)"; \
	prove="cargo test --locked --profile $(PROFILE) --workspace"; \
	$(SUKOON) test-services -- $$prove --lib && \
	$(SUKOON) test-services -- $$prove --test it -- sagas:: spraying:: recount && \
	$(SUKOON) test-services -- $$prove $(PROVED_PROGRAMS) && \
	node tests/runner/proofs.mjs note $$seed

# Processes, stores and third parties fail at random while many customers book. It ends with one line
# and fails when anything is lost, double or unresolved.
chaos: build web
	@$(PROGRAMS)/chaos $(MINUTES) $(SEED)
	@$(MAKE) --no-print-directory failover

# Stores and processes fail under load as they do in a cluster: two PostgreSQL servers, three of NATS,
# rollouts, full disks. One table; it fails when anything acknowledged is lost. The drills of full disks
# mount small ones, which needs root. DRILL names some of them (tests/system/README.md). Release programs
# keep up with the load on two cores.
DRILL ?=

.PHONY: failover failover-run
failover:
	@$(MAKE) --no-print-directory PROFILE=release failover-run

failover-run: build web
	@$(PROGRAMS)/failover $(DRILL)

# From the programs of an earlier release, in the folder OLD, to these and back, under load, on one schema.
# If OLD has a folder `practice`, that release's own, all programs read it.
OLD ?=

.PHONY: upgrade-drill
upgrade-drill: build web
	@[ -n "$(OLD)" ] || { echo "OLD=… is the folder of an earlier release's programs." >&2; exit 1; }
	@$(PROGRAMS)/upgrade_drill "$(OLD)"

# Figures of the release programs, each beside a limit that is measured in the same run: one table,
# and JSON below $(BENCH). A wrong answer fails; a figure that is missed is printed as missed. After a
# whole run come the four promises that fail where they are not kept; ONLY names them too.
BENCH := $(TARGET_DIR)/bench
STATEMENTS := package_statements
PROMISES := scale mail_outage million_bookings $(STATEMENTS)
comma := ,
WANTED := $(subst $(comma), ,$(ONLY))
FIGURES := $(subst $() ,$(comma),$(filter-out $(PROMISES),$(WANTED)))
PROMISED := $(if $(WANTED),$(filter $(PROMISES),$(WANTED)),$(PROMISES))

bench:
	@$(MAKE) --no-print-directory PROFILE=release measured

.PHONY: measured
measured: build web
	@$(if $(or $(FIGURES),$(if $(WANTED),,all)),$(SUKOON) prepare --nginx && \
	  $(PROGRAMS)/load $(BENCH) $(if $(FIGURES),--only $(FIGURES)) --nginx "$$($(SUKOON) paths nginx)",:)
	@$(if $(filter-out $(STATEMENTS),$(PROMISED)),$(SUKOON) test-services -- cargo bench --locked --profile $(PROFILE) \
	  $(FEATURES) --workspace $(addprefix --bench ,$(filter-out $(STATEMENTS),$(PROMISED))),:)
	@$(if $(filter $(STATEMENTS),$(PROMISED)),$(SUKOON) test-services -- cargo test --locked --quiet --package booking \
	  --test it a_package_of_three_takes_at_most_twice -- --nocapture,:)

# Practices side by side on one PostgreSQL server and one NATS server, each with its own processes and
# databases: what each takes, for deploy/kubernetes/SCALE.md.
PRACTICES ?= 10
SIDE_BY_SIDE := $(TARGET_DIR)/scale

.PHONY: scale scale-run
scale:
	@$(MAKE) --no-print-directory PROFILE=release scale-run

scale-run: build web
	@$(PROGRAMS)/side_by_side $(SIDE_BY_SIDE) $(PRACTICES)

# Hostile clients of all kinds attack a practice's gateway while honest ones book: one table, and it
# fails when an honest client is refused or a figure is missed.
.PHONY: siege siege-run
siege:
	@$(MAKE) --no-print-directory PROFILE=release siege-run

siege-run: build web
	@$(PROGRAMS)/siege

# ── Alerts ──────────────────────────────────────────────────────────────────────────────────────

# Series that should wake a person do, and those that should not don't. The names of all metrics are
# compared with the code by the runtime's tests.
OBSERVABILITY := deploy/observability

alerts:
	@[ -x $(SUKOON) ] || $(MAKE) --no-print-directory programs
	@$(SUKOON) prepare --promtool
	@promtool=$$($(SUKOON) paths promtool) && cd $(OBSERVABILITY) && \
	  "$$promtool" check rules alerts.yml restores/restores.yml server/server.yml && "$$promtool" test rules tests/*.yml

# ── Checks ──────────────────────────────────────────────────────────────────────────────────────

check: check-rust check-proto check-generated check-web check-dependencies
	@echo "All checks passed."

check-rust: tools
	@echo "· Rust: formatting, lints, house rules"
	@cargo fmt --all --check
	@$(if $(filter built,$(LINT)),echo "  (lints come with the build)",cargo clippy --locked --workspace --all-targets -- -D warnings)
	@cargo test --locked --package tidy

check-proto: web-packages
	@echo "· the contract: lint, formatting, nothing broken since main"
	@cd $(WEB) && $(WEB_BIN)/buf lint ../proto
	@cd $(WEB) && $(WEB_BIN)/buf format ../proto --diff --exit-code
	@main=$$(git rev-parse --verify --quiet origin/main || git rev-parse --verify --quiet main); \
	if [ -n "$$main" ] && git cat-file -e "$$main:proto/buf.yaml" 2>/dev/null; then \
	  old=$$(mktemp -d) && git archive "$$main" proto | tar -x -C "$$old" && \
	  (cd $(WEB) && $(WEB_BIN)/buf breaking ../proto --against "$$old/proto"); \
	  code=$$?; rm -rf "$$old"; exit $$code; \
	fi

check-generated: web-packages
	@echo "· generated code is what the contract generates"
	@old=$$(mktemp -d) && cp -R $(WEB)/src/gen "$$old/gen" && \
	(cd $(WEB) && npm run --silent generate) && diff -r "$$old/gen" $(WEB)/src/gen; \
	code=$$?; rm -rf "$$old"; \
	[ $$code -eq 0 ] || echo "web/src/gen was old; it is new now: commit it." >&2; exit $$code

check-web: web-packages
	@echo "· web: lint, types"
	@cd $(WEB) && npm run --silent lint
	@cd $(WEB) && npm run --silent typecheck

# Licences, sources and known vulnerabilities of what we depend on, from data that is committed. The
# tests plant what must not pass.
DEPENDENCIES := tests/dependencies

check-dependencies: tools
	@echo "· dependencies: licences, sources, known vulnerabilities"
	@node $(DEPENDENCIES)/check.mjs $(TARGET_DIR)/dependencies
	@node --test --test-reporter=spec $(DEPENDENCIES)/*.test.mjs

# Asks OSV for the advisories of all that the locks have. This one needs the network; read what it
# changed, then commit it.
advisories: tools
	@node $(DEPENDENCIES)/renew.mjs
	@git diff --stat -- $(DEPENDENCIES)/advisories

# The manifests for Kubernetes. The first time it fetches schemas; the checks themselves use no network.
KUBERNETES := deploy/kubernetes/check
SCHEMAS := $(TARGET_DIR)/check-deploy

check-deploy:
	@echo "· Kubernetes: manifests, schemas, policies"
	@command -v kubectl >/dev/null 2>&1 || { echo \
	  "kubectl is missing: install it, then try again (make check does not need it)." >&2; exit 1; }
	@node $(KUBERNETES)/prepare.mjs $(SCHEMAS)
	@node $(KUBERNETES)/check.mjs $(SCHEMAS)
	@PATH="$$PATH:$(SCHEMAS)" shellcheck deploy/kubernetes/components/*/*.sh
	@SCHEMAS=$(SCHEMAS) node --test --test-reporter=spec $(KUBERNETES)/*.test.mjs

# ── A server ────────────────────────────────────────────────────────────────────────────────────

# The Debian package of one practice: its programs, built for use, and its pages. PRACTICE_DIR is the
# folder of a practice of your own. The package lies in $(DEB) then; see deploy/vm/README.md.
DEB := $(TARGET_DIR)/deb

.PHONY: deb packaged
deb:
	@$(MAKE) --no-print-directory PROFILE=release packaged

packaged: build web
	@deploy/vm/debian/build.sh $(PROGRAMS) $(WEB)/dist \
	  "$${PRACTICE_DIR:-deploy/local/practice}" $(DEB)

# ── A cluster ───────────────────────────────────────────────────────────────────────────────────

# The OCI images: one for each service and one of all. They need no container engine and lie in
# $(IMAGES) then; see deploy/images/README.md. To check them needs root, for chroot and mounts.
IMAGES := $(TARGET_DIR)/images
IMAGES_INPUT = $(PROGRAMS) $(WEB)/dist "$${PRACTICE_DIR:-deploy/local/practice}"

.PHONY: images packed-images check-images checked-images
images:
	@$(MAKE) --no-print-directory PROFILE=release packed-images

check-images:
	@$(MAKE) --no-print-directory PROFILE=release checked-images

packed-images: build web
	@echo "· packing the images"
	@node deploy/images/build.mjs $(IMAGES_INPUT) $(IMAGES)

checked-images: packed-images
	@echo "· images: the same again, by the specification, started"
	@node --test --test-reporter=spec deploy/images/start/*.test.mjs
	@node deploy/images/check.mjs $(IMAGES_INPUT) $(IMAGES)
