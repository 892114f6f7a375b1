import type { Mailcap } from '../index.ts';
import { outputStyles } from './styles.ts';

/** What a person needs to know once the server is up. */
export function banner(server: Mailcap, { keys }: { readonly keys: boolean }): string {
  const { bold, dim } = outputStyles();
  const rows: [string, string][] = [
    ['HTTP', bold(server.url)],
    ['API', server.apiUrl],
    ['SMTP', bold(`${server.smtp.host}:${server.smtp.port}`)],
    ['API key', server.apiKey],
    ['Mail to', `anything@inbox.${server.mailDomain}`],
  ];
  if (server.adminToken !== null) rows.push(['Admin token', server.adminToken]);
  const hints: readonly [string, string][] = [
    ['o', 'browser'],
    ['i', 'inbox'],
    ['c', 'copy code'],
    ['r', 'reset'],
    ['?', 'help'],
    ['q', 'quit'],
  ];
  return [
    '',
    `  ${bold('mailcap')} ${dim(server.ready.version)}`,
    '',
    ...rows.map(([name, value]) => `  ${dim(name.padEnd(12))} ${value}`),
    '',
    ...(keys ? [`  ${hints.map(([key, does]) => `${bold(key)} ${dim(does)}`).join('   ')}`, ''] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
