import type { Mailcap } from '../index.ts';
import { KEYS } from './dev/keys.ts';
import { outputStyles } from './styles.ts';

/** Returns the text that tells a person where the server listens and how to use it. */
export function banner(server: Mailcap, { keys }: { readonly keys: boolean }): string {
  const { bold, dim } = outputStyles();
  const rows: [string, string][] = [
    ['HTTP', bold(server.url)],
    ['API', server.apiUrl],
    ['SMTP', bold(`${server.smtp.host}:${server.smtp.port}`)],
    ...(server.smtp.tlsUrl === null ? [] : [['SMTP, TLS', server.smtp.tlsUrl] satisfies [string, string]]),
    ['API key', server.apiKey],
    ['Mail to', `anything@inbox.${server.mailDomain}`],
  ];
  if (server.adminToken !== null) rows.push(['Admin token', server.adminToken]);
  return [
    '',
    `  ${bold('mailcap')} ${dim(server.ready.version)}`,
    '',
    ...rows.map(([name, value]) => `  ${dim(name.padEnd(12))} ${value}`),
    '',
    keys
      ? `  ${KEYS.map(([key, word]) => `${bold(key)} ${dim(word)}`).join('   ')}`
      : `  ${dim('No keys, because standard input is no terminal: `mailcap inbox` in one shows the mail.')}`,
    '',
  ]
    .map((line) => `${line}\n`)
    .join('');
}
