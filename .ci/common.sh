# What .ci/run and .ci/nightly have in common. To be sourced, in the root of a checkout, as root on a Debian.

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

# Makes a command that hangs fail with its name, long before the whole run times out: seconds, then the command.
limit() { timeout --kill-after=20 "$@" || { local code=$?; ((code != 124)) || echo "not finished within $1 s: ${*:2}"; return "$code"; }; }

# Installs the Debian packages whose program is not there: pairs of a path and a package.
programs() {
    local missing=()
    while (($# > 0)); do
        [[ -x $1 ]] || missing+=("$2")
        shift 2
    done
    ((${#missing[@]} > 0)) || return 0
    step "Installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    # Only the programs are needed: Debian would also start its own nginx, PgBouncer and PostgreSQL.
    local policy=/usr/sbin/policy-rc.d
    if [[ -e $policy ]]; then policy=''; else printf '#!/bin/sh\nexit 101\n' > "$policy" && chmod +x "$policy"; fi
    apt-get update --quiet --quiet
    apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}"
    [[ -z $policy ]] || rm "$policy"
}

# The dependencies of the root, or of a folder, without a warning.
dependencies() {
    node tools/lockfile.js "$@"
    # A package that does not support this Node, or whose install script nobody has looked at, is a warning to every newcomer, and an error here.
    npm ci --no-audit --no-fund --engine-strict --strict-allow-scripts ${1:+--prefix "$1"}
}

# The database that tests use from here on: a temporary PostgreSQL 15, deleted at the end. The system's own is not touched. In memory if there is room: on a disk, most of the time goes into creating and deleting files.
postgresql_15() {
    local bin=/usr/lib/postgresql/15/bin gib where port
    gib="$(df --output=avail --block-size=1G /dev/shm 2> /dev/null | tail --lines 1 || true)"
    if ((${gib:-0} >= 4)); then where=/dev/shm; else where="${TMPDIR:-/tmp}"; fi
    cluster="$(mktemp -d --tmpdir="$where")"
    as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --clear-groups "$@"); }
    stop_postgresql() {
        as_postgres /usr/lib/postgresql/15/bin/pg_ctl --pgdata "$cluster/data" --mode immediate stop > /dev/null 2>&1 || true
        rm -rf "$cluster"
    }
    trap stop_postgresql EXIT
    chown postgres: "$cluster"
    port="$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')"
    as_postgres "$bin/initdb" --pgdata "$cluster/data" --username postgres --auth trust --encoding UTF8 --no-sync > "$cluster/initdb.log"
    as_postgres "$bin/pg_ctl" --pgdata "$cluster/data" --log "$cluster/postgres.log" --wait start --options \
        "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='' -c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off" > /dev/null ||
        { cat "$cluster/postgres.log"; exit 1; }
    export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
}

# If the registry does not respond, that does not count as passed; the last line repeats it.
audit() {
    unaudited=''
    { npm audit --json 2> /dev/null || true; } | node tools/audit.js || {
        (($? == 2)) || exit 1
        unaudited=', but the dependencies have NOT been audited'
    }
}
