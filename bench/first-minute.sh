#!/usr/bin/env bash
# This script measures the seconds from the README's first line to the first captured mail on the screen: in a fresh
# clone, and in a fresh directory that installs the package. It runs the code blocks of the README.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
server=''
stop_server() {
  [ -n "$server" ] || return 0
  kill "$server" 2>/dev/null || true
  for _ in $(seq 100); do
    kill -0 "$server" 2>/dev/null || return 0
    sleep 0.1
  done
}
finish() {
  stop_server
  rm -rf "$work"
}
trap finish EXIT

# Prints the code block of the README with the given marker.
block() { awk -v fence="^\`\`\`bash $1\$" '$0 ~ fence { on = 1; next } /^```/ { on = 0 } on' "$root/README.md"; }
now() { date +%s.%N; }

# Sends a mail and shows it as the README says, once the server has written its server.json.
first_mail() {
  for _ in $(seq 3000); do
    [ -s .mailcap/server.json ] && break
    sleep 0.1
  done
  server=$(node -p "require('./.mailcap/server.json').pid")
  block first | sed "s#npx mailcap#$1#" | bash -euo pipefail | tee shown.txt
  grep -q 481516 shown.txt
}

export MAILCAP_PORT=0 MAILCAP_SMTP_PORT=0
started=$(now)
git clone --quiet "$root" "$work/clone"
cd "$work/clone"
(block start | bash >"$work/clone.log" 2>&1) &
first_mail 'node bin/mailcap.js'
clone=$(node -p "($(now) - $started).toFixed(1)")
stop_server
wait || true

tarball=$(npm pack --silent --ignore-scripts --pack-destination "$work" 2>/dev/null | tail -1)
mkdir "$work/elsewhere"
cd "$work/elsewhere"
started=$(now)
npm init --yes >/dev/null 2>&1
npm install --silent --no-audit --no-fund "$work/$tarball"
(npx --no-install mailcap dev >"$work/elsewhere.log" 2>&1) &
first_mail 'npx --no-install mailcap'
elsewhere=$(node -p "($(now) - $started).toFixed(1)")

echo "fresh clone: $clone s; fresh directory with the package: $elsewhere s"
