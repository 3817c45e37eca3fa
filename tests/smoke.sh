#!/usr/bin/env bash
# A fresh clone, `make run`, one message answered by the real bundled model, kill -9 in the middle of a
# second one, restart: exactly one reply to it.
set -euo pipefail

root=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
port=${SMOKE_PORT:-8765}
base="http://127.0.0.1:$port"
service=""

say() { printf 'smoke: %s\n' "$*"; }

stop() {
    if [ -n "$service" ]; then
        kill -9 "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
        service=""
    fi
}

finish() {
    status=$?
    stop
    if [ "$status" -ne 0 ]; then
        say "failed; the end of the service's log:"
        tail -n 40 "$work/service.log" "$work/wasap/data/wasap.log" 2>/dev/null || true
    fi
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT

# $1: what to wait for; $2: seconds; the rest: the command that tells.
wait_for() {
    local what=$1 seconds=$2
    shift 2
    for _ in $(seq "$((seconds * 5))"); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    say "timed out: $what"
    return 1
}

answers() { curl -fsS "$base/health/live"; }
is_ready() { curl -fsS "$base/health/ready"; }

# The number of texts that the person on the simulator's first phone received.
replies() {
    python3 - "$work/wasap/data/simulator.jsonl" <<'PY'
import json, sys
try:
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
except FileNotFoundError:
    lines = []
events = []
for line in lines:
    try:
        events.append(json.loads(line))
    except ValueError:
        pass
print(sum(event["kind"] == "send" for event in events))
PY
}

has_replies() { [ "$(replies)" -ge "$1" ]; }

is_typing() { tail -n 1 "$work/wasap/data/simulator.jsonl" | grep -q '"kind":"read"'; }

# The simulator, as the person whom the start told the token.
simulator() {
    local path=$1
    shift
    curl -fsS "$base/simulator$path" -H "Authorization: Bearer $(cat "$work/wasap/data/simulator-token")" "$@"
}

write_message() {
    simulator /api/messages -H 'Content-Type: application/json' \
        -d "{\"user\": \"$1\", \"type\": \"text\", \"text\": \"$2\"}" >/dev/null
}

# The service itself, not make: that is the process to kill.
start() {
    PORT=$port .venv/bin/python -m app serve >>"$work/service.log" 2>&1 &
    service=$!
    wait_for "the service to listen" 60 answers
}

say "cloning"
git clone --quiet "$root" "$work/wasap"
cd "$work/wasap"

say "make run"
PORT=$port make run >"$work/service.log" 2>&1 &
make_pid=$!
wait_for "make run to install and listen" 600 answers
wait_for "the model to be fetched and loaded" 1200 is_ready

grep -q "simulator?token=" "$work/service.log" || { say "the start did not print where to write"; exit 1; }
[ "$(curl -s -o /dev/null -w '%{http_code}' "$base/simulator/api/state")" = 401 ] || { say "the simulator lets anybody in"; exit 1; }
user=$(simulator /api/state | python3 -c 'import json, sys; print(json.load(sys.stdin)["users"][0]["wa_id"])')
simulator "" | grep -i '<!doctype html' >/dev/null # all of it is read: curl would call an early end a failure
write_message "$user" "Hola, ¿cómo estás?"
wait_for "the first reply" 300 has_replies 1
say "the first message was answered by $(curl -fsS "$base/health/ready" | python3 -c 'import json, sys; print(json.load(sys.stdin)["model"]["name"])')"

service=$(pgrep -P "$make_pid" -f ' serve$' || pgrep -f "^[^ ]*python[^ ]* .*wasap serve$")
first=$(replies)
write_message "$user" "Cuéntame una historia corta de un gato."
wait_for "the second turn to begin" 60 is_typing
sleep 2
[ "$(replies)" -eq "$first" ] || { say "the second message was answered before the kill"; exit 1; }
kill -9 "$service"
wait "$make_pid" 2>/dev/null || true
service=""
say "killed in the middle of the second turn"

start
wait_for "the second reply" 600 has_replies "$((first + 1))"
sleep 25 # longer than a send of unknown outcome waits before it is repeated
[ "$(replies)" -eq "$((first + 1))" ] || { say "expected one reply to the second message, got $(($(replies) - first))"; exit 1; }
say "exactly one reply after the restart"
