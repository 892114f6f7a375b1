/** Returns the output of `mailcap sendmail --help`. */
export function sendmailHelp(): string {
  return `Usage: mailcap sendmail [options] [recipient]...
Send a mail as /usr/sbin/sendmail does
  -t              Also send to To, Cc and Bcc of the mail, and remove Bcc
  -i, -oi         A line of one dot does not end the message
  -f, -r <addr>   Sender of the envelope
  -F <name>       Full name of the sender, if the mail has no From
  -bs             Speak SMTP on standard input and output
  --data-dir <d>  Send to the server that uses this data directory
  -B -N -o.. ..   Other options of sendmail are accepted and ignored

The mail comes from standard input and goes to MAILCAP_SMTP_URL, or to the
server that runs in this directory or above it. Exit codes are those of
sysexits.h: 64 misuse, 67 recipient refused, 69 no server, 75 try again later.

  sendmail_path = "mailcap sendmail -t -i"             (php.ini)
  ln -s "$(command -v mailcap)" /usr/sbin/sendmail     (cron and all others)
  printf "Subject: Hi\\n\\nHello.\\n" | mailcap sendmail ada@example.com
`;
}
