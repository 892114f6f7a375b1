import type { Mailcap } from '../index.ts';

/** What a person needs to know once the server is up. */
export function banner(server: Mailcap, { keys }: { readonly keys: boolean }): string {
  const { bold, dim } = styles(process.stdout.isTTY, process.env);
  const rows: [string, string][] = [
    ['HTTP', bold(server.url)],
    ['API', server.apiUrl],
    ['SMTP', bold(`${server.smtp.host}:${server.smtp.port}`)],
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
    ...(keys
      ? [`  ${dim('press')} ${bold('o')} ${dim('to open in the browser,')} ${bold('q')} ${dim('to quit')}`, '']
      : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

type Style = (text: string) => string;

/** Plain where the output is no terminal, or NO_COLOR or a dumb terminal asks for it; FORCE_COLOR overrides all but NO_COLOR. */
export function styles(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): { readonly bold: Style; readonly dim: Style } {
  const force = env['FORCE_COLOR'] ?? '';
  const wanted = force === '' ? isTerminal && env['TERM'] !== 'dumb' : force !== '0';
  const coloured = wanted && !env['NO_COLOR'];
  const style =
    (open: number, close: number): Style =>
    (text) =>
      coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22) };
}
