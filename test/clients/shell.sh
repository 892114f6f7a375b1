#!/bin/bash
# Mail programs: one mail for each configuration named on the command line. One line each: its name, a tab, `ok` or what went wrong.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work"
from=app@example.com

text() { printf 'From: %s\r\nTo: %s\r\nSubject: %s\r\n\r\nHello.\r\n' "$from" "$1" "$2"; }

by_curl() { text "$to" "$name" | curl -sS "$@" --mail-from "$from" --mail-rcpt "$to" --upload-file -; }
by_swaks() { swaks --silent 2 --server "$HOST:$PORT" --from "$from" --to "$to" --header "Subject: $name" "$@"; }
by_mutt() {
  printf 'set from="%s"\nset smtp_url="%s"\nset copy=no\n%s\n' "$from" "$2" "$3" >"$work/muttrc"
  echo Hello. | "$1" -n -F "$work/muttrc" -s "$name" "$to" </dev/stdin
}
by_msmtp() { text "$to" "$name" | msmtp -C /dev/null --host="$HOST" --port="$PORT" --from="$from" "$@" "$to"; }
by_snail() { echo Hello. | s-nail -:/ -Sv15-compat -Smta="$1" -Sfrom="$from" "${@:2}" -s "$name" "$to"; }

send() {
  case $name in
    curl) by_curl "smtp://$HOST:$PORT" ;;
    curl-ssl) by_curl "smtp://$HOST:$PORT" --ssl ;;
    curl-auth) by_curl "smtp://$HOST:$PORT" --user app:secret ;;
    curl-ssl-reqd) by_curl "smtp://$HOST:$PORT" --ssl-reqd ;;
    curl-smtps) by_curl "smtps://$HOST:$TLS_PORT" ;;
    swaks) by_swaks ;;
    swaks-tls-optional) by_swaks --tls-optional ;;
    swaks-auth) by_swaks --auth PLAIN --auth-user app --auth-password secret ;;
    swaks-tls) by_swaks --tls ;;
    mutt) by_mutt mutt "smtp://$HOST:$PORT" '' ;;
    mutt-plain) by_mutt mutt "smtp://$HOST:$PORT" 'set ssl_force_tls=no ssl_starttls=no' ;;
    neomutt-plain) by_mutt neomutt "smtp://$HOST:$PORT" 'set ssl_force_tls=no ssl_starttls=no' ;;
    neomutt) by_mutt neomutt "smtp://$HOST:$PORT" '' ;;
    msmtp) by_msmtp ;;
    msmtp-auth) by_msmtp --auth=plain --user=app --passwordeval='echo secret' --tls=off ;;
    msmtp-tls) by_msmtp --tls=on ${CA:+--tls-trust-file="$CA"} ;;
    s-nail) by_snail "smtp://$HOST:$PORT" -Ssmtp-auth=none ;;
    s-nail-starttls) by_snail "smtp://$HOST:$PORT" -Ssmtp-auth=none -Ssmtp-use-starttls -Stls-verify=strict ${CA:+-Stls-ca-file="$CA"} ;;
    sendemail) sendemail -q -f "$from" -t "$to" -u "$name" -m Hello. -s "$HOST:$PORT" ;;
    git-send-email)
      git init -q "$work/repository" && cd "$work/repository" && git config user.email "$from" && git config user.name App
      echo "$name" >file && git add file && git commit -qm "$name"
      git send-email --quiet --smtp-server="$HOST" --smtp-server-port="$PORT" --from="$from" --to="$to" --confirm=never --suppress-cc=all -1
      ;;
    mailutils) text "$to" "$name" | /usr/bin/mail.mailutils --no-config -E "set sendmail=smtp://$HOST:$PORT" -a "From: $from" -s "$name" "$to" ;;
    esmtp) text "$to" "$name" | esmtp -C <(printf 'hostname=%s:%s\nstarttls=disabled\n' "$HOST" "$PORT") -f "$from" "$to" ;;
    tcl)
      NAME=$name TO=$to tclsh <<'TCL'
package require smtp
package require mime
set token [mime::initialize -canonical text/plain -string Hello.]
smtp::sendmessage $token -servers $env(HOST) -ports $env(PORT) -originator app@example.com -recipients $env(TO) -header [list Subject $env(NAME)] -header {From app@example.com}
TCL
      ;;
    lua)
      NAME=$name TO=$to lua5.1 - <<'LUA' || return 1
local smtp = require('socket.smtp')
local sent, failure = smtp.send({ from = '<app@example.com>', rcpt = '<' .. os.getenv('TO') .. '>', server = os.getenv('HOST'), port = tonumber(os.getenv('PORT')),
  source = smtp.message({ headers = { subject = os.getenv('NAME'), from = 'app@example.com', to = os.getenv('TO') }, body = 'Hello.' }) })
if not sent then error(failure) end
LUA
      ;;
    *) echo "no such configuration" >&2; return 1 ;;
  esac
}

for name in "$@"; do
  to="$name@inbox.mailcap.example.com"
  if said=$(send 2>&1); then told=ok; else told=${said//$'\n'/ }; fi
  printf '%s\t%s\n' "$name" "${told:-failed}"
done
