#!/bin/sh
# Installs mailcap in a dev container, as root. The options of devcontainer-feature.json are VERSION, START and OPTIONS.
set -eu

version=${VERSION:-latest}
start=${START:-true}
options=${OPTIONS:-}
prefix=${MAILCAP_PREFIX:-/usr/local}

fail() {
  echo "mailcap: $1" >&2
  exit 1
}

# The feature for Node installs it by nvm, which a shell that is no login shell does not know.
if ! command -v npm >/dev/null 2>&1 && [ -d /usr/local/share/nvm/current/bin ]; then
  PATH=/usr/local/share/nvm/current/bin:$PATH
  export PATH
fi
command -v npm >/dev/null 2>&1 ||
  fail 'Node.js is not here. Add "ghcr.io/devcontainers/features/node:1": {} to the features, or take an image with Node.js.'
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "Node.js $(node -v) is too old: mailcap needs 20.19 or later."
# They stand in a script that runs at each start.
case $options in
  *[!A-Za-z0-9\ ./:,@=_-]*) fail 'options: only letters, digits, spaces and ./:,@=_- may stand here. A config file, mailcap.config.json, takes the rest.' ;;
esac

case $version in
  */* | *.tgz) package=$version ;;
  *) package=mailcap@$version ;;
esac
npm install --global --prefix "$prefix" --no-audit --no-fund "$package" || fail "npm could not install $package."

mkdir -p "$prefix/share/mailcap"
cat >"$prefix/share/mailcap/start" <<SCRIPT
#!/bin/sh
# Starts the mail server of this dev container, unless it runs.
set -eu
[ "$start" = true ] || exit 0
mailcap='$prefix/bin/mailcap'
"\$mailcap" health >/dev/null 2>&1 && exit 0
log=\$(mktemp)
setsid "\$mailcap" dev $options >"\$log" 2>&1 </dev/null &
server=\$!
tries=0
until "\$mailcap" health >/dev/null 2>&1; do
  tries=\$((tries + 1))
  if [ "\$tries" -gt 60 ] || ! kill -0 "\$server" 2>/dev/null; then
    cat "\$log" >&2
    exit 1
  fi
  sleep 0.5
done
echo "mailcap is up, and mailcap status says where. Its log is \$log."
SCRIPT
chmod 755 "$prefix/share/mailcap/start"
