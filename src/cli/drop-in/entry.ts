import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { parseArgs } from 'node:util';
import { type CatcherName, catcherOfFlags } from '../../config/drop-in/read.ts';
import { connectHost, urlHost } from '../../config/host.ts';
import { loadConfig } from '../../config/load.ts';
import { UserError } from '../../config/user-error.ts';
import { VERSION } from '../../version.ts';
import { sleep, steady } from '../clock.ts';
import { durationOf, EXIT } from '../command.ts';
import { printText, say } from '../output.ts';

// The programs `mailpit` and `maildev`: what starts another catcher by its name or its flags starts mailcap instead
// (docs/drop-in.md).

/** A start in the place of another catcher, by the name of the program or by the flags. */
export interface StandInEntry {
  readonly catcher: CatcherName;
  /** Tells whether the program has the catcher's name. */
  readonly isNamed: boolean;
}

/** Returns how a command line starts another catcher; null if it is one of mailcap itself. */
export function entryOf(program: string, args: readonly string[]): StandInEntry | null {
  const named = /^(mailpit|maildev)(?:\.(?:js|exe))?$/.exec(program)?.[1];
  if (named !== undefined) return { catcher: named === 'mailpit' ? 'mailpit' : 'maildev', isNamed: true };
  const catcher = catcherOfFlags(args);
  return catcher === null ? null : { catcher, isNamed: false };
}

/** Tells whether the command line starts a server. */
export function startsServer({ isNamed }: StandInEntry, [first]: readonly string[]): boolean {
  return !isNamed || first === undefined || (first.startsWith('-') && !HELP.has(first));
}

const HELP: ReadonlySet<string> = new Set(['--help', '-h']);

/** Runs such a command line and returns its exit code; null for a command of mailcap, such as `mailpit messages list`. */
export async function runInPlace(entry: StandInEntry, args: readonly string[]): Promise<number | null> {
  if (startsServer(entry, args)) return (await import('../dev.ts')).dev({}, { catcher: entry.catcher, args });
  const [command = '', ...rest] = args;
  if (HELP.has(command)) return printHelp(entry.catcher);
  switch (command) {
    case 'readyz':
      return readyz(rest);
    case 'version':
      printText(`mailcap ${VERSION}\n`);
      return EXIT.done;
    case 'sendmail':
      return sendAsMailpit(rest);
    case 'ingest':
      throw new UserError('mailpit ingest: use `mailcap import`.', EXIT.misuse);
    case 'dump':
      throw new UserError('mailpit dump: use `mailcap export`.', EXIT.misuse);
    case 'reindex':
      throw new UserError('mailpit reindex: mailcap has no index to make again.', EXIT.misuse);
    default:
      return null;
  }
}

function printHelp(catcher: CatcherName): number {
  const called = catcher === 'mailpit' ? "Mailpit's" : "MailDev's";
  printText(`Usage: ${catcher} [options]
Start mailcap in the place of another mail catcher, with ${called} variables and
flags. The page drop-in.md lists them and what each one means here.

  ${catcher} --smtp ${catcher === 'mailpit' ? '[::]:1025 --listen [::]:8025' : '1025 --web 1080'}
${catcher === 'mailpit' ? '  mailpit readyz         Exit code 0 if the server is ready\n  mailpit sendmail       Send a mail as /usr/sbin/sendmail does\n' : ''}
All else is as with mailcap: mailcap --help.
`);
  return EXIT.done;
}

const PATIENCE_MS = 5_000;
const BETWEEN_ASKS_MS = 200;
const DEFAULT_WAIT_SECONDS = 30;

/** Runs `mailpit readyz`, the health check of compose files. */
async function readyz(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { https: { type: 'boolean' }, wait: { type: 'boolean' }, timeout: { type: 'string' } },
    strict: false,
  });
  const { host, port, webroot, https } = await loadConfig({}, process.env, process.cwd(), 'json', {
    catcher: 'mailpit',
    args,
  });
  const url = `${values['https'] || https === 'on' ? 'https' : 'http'}://${urlHost(connectHost(host))}:${port}${webroot ?? ''}/readyz`;
  const seconds = durationOf(String(values['timeout'] ?? '')) ?? DEFAULT_WAIT_SECONDS;
  const beganAt = steady();
  for (;;) {
    const problem = await askReady(url);
    if (problem === null) return EXIT.done;
    if (!values['wait'] || steady() - beganAt > seconds * 1_000) {
      say(`${url}: ${problem}.`);
      return EXIT.failed;
    }
    await sleep(BETWEEN_ASKS_MS);
  }
}

/** Returns why the server is not ready; null if it is. The certificate is not checked: the client connects by address. */
function askReady(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const heard = (status: number | undefined) => resolve(status === 200 ? null : `it answers ${status}`);
    const options = { timeout: PATIENCE_MS, agent: false };
    const asked = url.startsWith('https:')
      ? overHttps(url, { ...options, rejectUnauthorized: false }, (res) => heard(res.resume().statusCode))
      : overHttp(url, options, (res) => heard(res.resume().statusCode));
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', (error) => resolve(error.message || 'no connection'));
    asked.end();
  });
}

/**
 * Runs `mailpit sendmail`, which differs from sendmail: it has long options, and without recipients it sends to those of
 * the header. A line of one dot is part of the mail.
 */
async function sendAsMailpit(args: readonly string[]): Promise<number> {
  const { sendmail } = await import('../sendmail/sendmail.ts');
  if (args.some((arg) => HELP.has(arg))) return sendmail(['--help']);
  const { MP_SENDMAIL_SMTP_ADDR: address = '', MP_SENDMAIL_FROM: from } = process.env;
  const given = from ? ['-f', from] : [];
  return sendmail(['-i', '-S', address, ...given, ...args.flatMap(shortened)], true);
}

const SHORT_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--from', '-f'],
  ['--name', '-F'],
  ['--smtp-addr', '-S'],
]);

/** Returns `-f` and the address for `--from=address`, and nothing for a long option that nobody knows. */
function shortened(arg: string): string[] {
  if (!arg.startsWith('--') || arg === '--') return [arg];
  const [, name = '', value] = /^(--[^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const short = SHORT_OPTIONS.get(name);
  return short === undefined ? [] : value === undefined ? [short] : [short, value];
}
