import { networkInterfaces } from 'node:os';
import type { Mailcap } from '../index.ts';
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

/** What the text tells about a server. */
type ShownServer = Pick<Mailcap, 'url' | 'apiUrl' | 'apiKey' | 'mailDomain' | 'adminToken'> & {
  readonly smtp: Pick<Mailcap['smtp'], 'host' | 'port' | 'tlsUrl'>;
  readonly ready: Pick<Mailcap['ready'], 'version'>;
};

const KEYS_OFF = 'Keys are off, because standard input is not a terminal. `mailcap inbox` shows the mail.';

/** Returns the text that tells a person where the server listens and how to use it. `keys` is null if it runs without a terminal. */
export function banner(
  server: ShownServer,
  { keys, host }: { readonly keys: boolean | null; readonly host: string },
): string {
  const { bold, dim } = outputStyles();
  const { isTTY, columns } = process.stdout;
  const width = isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
  const rows: Row[] = [
    ['HTTP', server.url, bold],
    ['API', server.apiUrl],
    ['SMTP', `${server.smtp.host}:${server.smtp.port}`, bold],
    ...(server.smtp.tlsUrl === null ? [] : [['SMTP, TLS', server.smtp.tlsUrl] satisfies Row]),
    ['API key', server.apiKey],
    ['Mail to', `anything@inbox.${server.mailDomain}`],
  ];
  if (server.adminToken !== null) rows.push(['Admin token', server.adminToken]);
  rows.push(...elsewhere(server, host));
  return [
    '',
    `  ${bold('mailcap')} ${dim(server.ready.version)}`,
    '',
    ...rows.flatMap((row) => rowLines(row, width)),
    '',
    ...(keys === null ? [] : [...(keys ? keyLines(width) : [`  ${dim(KEYS_OFF)}`]), '']),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the addresses by which others reach a server on all addresses: containers of this machine, and the network. */
function elsewhere({ url, smtp }: ShownServer, host: string): Row[] {
  if (!/^[0.]+$|^[0:]+$/.test(host)) return [];
  const { protocol, port } = new URL(url);
  const at = (name: string) => `${protocol}//${name}:${port} and smtp://${name}:${smtp.port}`;
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
