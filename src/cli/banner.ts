import { networkInterfaces } from 'node:os';
import { isEverywhere } from '../config/host.ts';
import type { Ready } from '../runtime.ts';
import { widthOf } from '../text/width.ts';
import { outputStyles, type PaintText } from './output.ts';

/** The hotkeys of `mailcap dev`: the key, a word for the banner, and the line that `?` prints. */
export const HOTKEYS = [
  ['o', 'browser', 'open in the browser'],
  ['i', 'inbox', 'terminal inbox'],
  ['c', 'copy code', 'copy the last code'],
  ['r', 'reset', 'reset: delete all mail'],
  ['?', 'help', 'help'],
  ['q', 'quit', 'quit'],
] as const;

type Row = readonly [name: string, value: string, paint?: PaintText];

/** The columns before a value that is on the line of its name. */
const BESIDE = 15;
const BETWEEN_KEYS = 3;

type ShownServer = Pick<
  Ready,
  'url' | 'apiUrl' | 'apiKey' | 'mailDomain' | 'smtpHost' | 'smtpPort' | 'smtpsUrl' | 'version'
>;

const KEYS_OFF = 'Keys are off, because standard input is not a terminal. `mailcap inbox` shows the mail.';

/** The way a server runs. `keys` tells whether its terminal takes keys, and is null if it runs without one. */
export interface HowItRuns {
  readonly adminToken: string | null;
  readonly host: string;
  readonly keys: boolean | null;
}

/** Returns the text that tells a person where the server listens and how to use it. */
export function banner(server: ShownServer, { adminToken, host, keys }: HowItRuns): string {
  const { bold, dim } = outputStyles();
  const { isTTY, columns } = process.stdout;
  const width = isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
  const rows: Row[] = [
    ['HTTP', server.url, bold],
    ['API', server.apiUrl],
    ['SMTP', `${server.smtpHost}:${server.smtpPort}`, bold],
    ...(server.smtpsUrl === null ? [] : [['SMTP, TLS', server.smtpsUrl] satisfies Row]),
    ['API key', server.apiKey],
    ['Mail to', `anything@inbox.${server.mailDomain}`],
  ];
  if (adminToken !== null) rows.push(['Admin token', adminToken]);
  rows.push(...elsewhere(server, host));
  return [
    '',
    `  ${bold('mailcap')} ${dim(server.version)}`,
    '',
    ...rows.flatMap((row) => rowLines(row, width)),
    '',
    ...(keys === null ? [] : [...(keys ? keyLines(width) : [`  ${dim(KEYS_OFF)}`]), '']),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the addresses by which others reach a server on all addresses: containers of this machine, and the network. */
function elsewhere({ url, smtpPort }: ShownServer, host: string): Row[] {
  if (!isEverywhere(host)) return [];
  const { protocol, port } = new URL(url);
  const at = (name: string) => `${protocol}//${name}:${port} and smtp://${name}:${smtpPort}`;
  const lan = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  const rows: Row[] = [['Containers', at('host.docker.internal')]];
  return lan === undefined ? rows : [...rows, ['Network', at(lan.address)]];
}

/**
 * Returns the lines of a row. A value that does not fit beside its name is on its own line, in one piece, so that it
 * can be copied.
 */
function rowLines([name, value, paint = (text) => text]: Row, width: number): string[] {
  const { dim } = outputStyles();
  if (BESIDE + widthOf(value) <= width) return [`  ${dim(name.padEnd(BESIDE - 3))} ${paint(value)}`];
  return [`  ${dim(name)}`, `  ${paint(value)}`];
}

function keyLines(width: number): string[] {
  const { bold, dim } = outputStyles();
  const lines: string[] = [];
  let room = 0;
  for (const [key, word] of HOTKEYS) {
    const painted = `${bold(key)} ${dim(word)}`;
    const needed = BETWEEN_KEYS + widthOf(`${key} ${word}`);
    if (needed <= room) {
      lines.push(`${lines.pop()}${' '.repeat(BETWEEN_KEYS)}${painted}`);
      room -= needed;
    } else {
      lines.push(`  ${painted}`);
      room = width - 2 - widthOf(`${key} ${word}`);
    }
  }
  return lines;
}
