import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { NoServerError } from '../../client/errors.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { isUrl } from '../../text/url.ts';
import { now, uniqueName } from '../clock.ts';
import { printText, sayText } from '../output.ts';
import { type QuickReply, quickFetch } from '../quick-fetch.ts';
import { readStdin } from '../read-given.ts';
import { noAnswerAt, whyUnreached } from '../unreachable.ts';
import { prepare, qualified, untilDot } from './prepare.ts';

/** The exit codes of sysexits.h. Callers of sendmail check them. */
const EX = {
  ok: 0,
  usage: 64,
  dataErr: 65,
  noUser: 67,
  unavailable: 69,
  ioErr: 74,
  tempFail: 75,
  noPerm: 77,
  config: 78,
} as const;

const MAX_BYTES = 256 * 1024 * 1024;
/** The time to wait for the server's SMTP address, in milliseconds. */
const ASK_MS = 5_000;
/** The greeting of `-bs` where no server is found. */
const NO_SERVER = '421 4.3.2 No mailcap server was found\r\n';
const ASKS_FOR_HELP = new Set(['--help', '-h', '--version']);
const HELP = `Usage: mailcap sendmail [options] [recipient]...
Send a mail as /usr/sbin/sendmail does
  -t              Also send to To, Cc and Bcc of the mail, and remove Bcc
  -i, -oi         A line of one dot does not end the message
  -f, -r <addr>   Sender of the envelope
  -F <name>       Full name of the sender, if the mail has no From
  -bs             Speak SMTP on standard input and output
  -S <host:port>  Send to this server
  --data-dir <d>  Send to the server that uses this data directory
  -B -N -o.. ..   Other options of sendmail are accepted and ignored

The mail comes from standard input and goes to MAILCAP_SMTP_URL, or to the
server that runs in this directory or above it. Exit codes are those of
sysexits.h: 64 misuse, 67 recipient refused, 69 no server, 75 try again later.

  sendmail_path = "mailcap sendmail -t -i"             (php.ini)
  ln -s "$(command -v mailcap)" /usr/sbin/sendmail     (cron and all others)
  printf "Subject: Hi\\n\\nHello.\\n" | mailcap sendmail ada@example.com
`;

/**
 * Runs `/usr/sbin/sendmail` as PHP, cron and mail programs call it. Its exit codes are those of sysexits.h. In Mailpit's
 * place, an option that it does not know is ignored, and recipients that are given are the only ones.
 */
export async function sendmail(args: readonly string[], isMailpit = false): Promise<number> {
  const [only] = args;
  if (args.length === 1 && only !== undefined && ASKS_FOR_HELP.has(only)) {
    printText(HELP);
    return EX.ok;
  }
  const options = readOptions(args, isMailpit);
  if ('misuse' in options) return fail(EX.usage, options.misuse);
  let target: Awaited<ReturnType<typeof findTarget>>;
  try {
    target = await findTarget(options);
  } catch (error) {
    if (!(error instanceof NoServerError || error instanceof UserError)) throw error;
    // The caller waits for a greeting.
    if (options.speaksSmtp) process.stdout.write(NO_SERVER);
    // Another user may have planted the server.json that was found.
    if (error instanceof NoServerError) return fail(EX.unavailable, error.message);
    return fail(error instanceof ConfigError ? EX.config : EX.unavailable, error.message);
  }
  if (typeof target === 'string') return fail(EX.config, target);
  if (target === null) {
    const why = 'no server was found: `mailcap dev` starts one here, or set MAILCAP_SMTP_URL.';
    if (options.speaksSmtp) process.stdout.write(NO_SERVER);
    return fail(EX.unavailable, why);
  }
  return options.speaksSmtp ? speak(target) : post(options, target);
}

/**
 * Finds the SMTP server of -S, --data-dir or MAILCAP_SMTP_URL, else that of the server that every command finds. Returns
 * a sentence if the name is invalid, and null if there is no server.
 */
async function findTarget({ dataDir, smtpAddress }: SendmailOptions): Promise<SmtpTarget | string | null> {
  if (smtpAddress !== null)
    return parseSmtpUrl(`smtp://${smtpAddress}`) ?? '-S: expected an address and a port, as in 127.0.0.1:1025.';
  const given = process.env['MAILCAP_SMTP_URL'];
  if (given && dataDir === null)
    return parseSmtpUrl(given) ?? 'MAILCAP_SMTP_URL: expected an SMTP URL, as in smtp://127.0.0.1:1025.';
  const { lookUp } = await import('../connect.ts');
  const found = await lookUp({ url: null, dataDir, readsConfig: false });
  if (found === null) return null;
  if (found.at === 'directory') return parseSmtpUrl(found.running.smtpUrl);
  return parseSmtpUrl(await smtpUrlOf(found.url, found.namedBy));
}

/** Asks a server for its SMTP URL. Throws a {@link UserError} if it reports none. */
async function smtpUrlOf(url: string, namedBy: string): Promise<string> {
  const token = process.env['MAILCAP_ADMIN_TOKEN'];
  let response: QuickReply;
  try {
    response = await quickFetch(`${url}/_mailcap/info`, {
      signal: AbortSignal.timeout(ASK_MS),
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    });
  } catch (error) {
    throw new UserError(noAnswerAt(url, error), EX.unavailable, { cause: error });
  }
  const info: unknown = await response.json().catch(() => null);
  if (typeof info === 'object' && info !== null && 'smtpUrl' in info) return String(info.smtpUrl);
  throw new UserError(
    `the server at ${url}, which ${namedBy} names, does not report its SMTP address: set MAILCAP_SMTP_URL.`,
    EX.unavailable,
  );
}

/** Returns the sentence that an SMTP server can't be reached, or that it closed the connection. */
function noSmtp({ host, port }: SmtpTarget, error: unknown): string {
  return `${host}:${port}: ${whyUnreached(error)}.`;
}

async function post(options: SendmailOptions, target: SmtpTarget): Promise<number> {
  const host = hostOf();
  const given = options.sender ?? userName();
  const address = qualified(given.replace(/^<|>$/g, ''), host);
  let input: Buffer;
  try {
    input = await readStdin(MAX_BYTES);
  } catch (error) {
    if (error instanceof UserError) return fail(EX.dataErr, `the message is larger than ${MAX_BYTES} bytes.`);
    return fail(
      EX.ioErr,
      `the message can't be read from standard input (${error instanceof Error ? error.message : error}).`,
    );
  }
  const sender = { address, fullName: options.fullName, host, now: new Date(now()), uniqueName: uniqueName() };
  const mail = options.ignoresDots ? input : untilDot(input);
  const { recipients, message } = prepare(mail, options.recipients, options.readsRecipients, sender);
  if (recipients.length === 0) {
    const how = options.readsRecipients
      ? 'give one, or an address in To, Cc or Bcc of the mail'
      : 'give one, or use -t to send to those of the mail';
    return fail(EX.usage, `no recipient: ${how}.`);
  }
  const odd = [address, ...recipients].find((one) => !ONE_ADDRESS.test(one));
  if (odd !== undefined) return fail(EX.usage, `${harmlessLine(odd)} is no address.`);
  try {
    return await transact(target, address, recipients, message);
  } catch (error) {
    return fail(EX.unavailable, noSmtp(target, error));
  }
}

async function transact(target: SmtpTarget, from: string, to: readonly string[], message: Buffer): Promise<number> {
  const client = new SmtpClient(await open(target));
  try {
    const greeting = await client.reply();
    if (greeting.code !== 220) return refused('the connection', greeting);
    const hello = await client.command('EHLO localhost');
    if (hello.code !== 250) return refused('EHLO', hello);
    if (target.user !== null) {
      const plain = Buffer.from(`\0${target.user}\0${target.password}`).toString('base64');
      const signedIn = await client.command(`AUTH PLAIN ${plain}`);
      if (signedIn.code !== 235) return refused('the sign-in', signedIn, EX.noPerm);
    }
    const international = [from, ...to].some((address) => /[^\0-\x7f]/.test(address)) ? ' SMTPUTF8' : '';
    const mail = await client.command(`MAIL FROM:<${from}> BODY=8BITMIME${international}`);
    if (mail.code !== 250) return refused(`the sender ${from}`, mail);
    let worst: number = EX.ok;
    let taken = 0;
    for (const recipient of to) {
      const reply = await client.command(`RCPT TO:<${recipient}>`);
      if (reply.code === 250 || reply.code === 251) taken += 1;
      else worst = refused(`the recipient ${recipient}`, reply, EX.noUser);
    }
    if (taken === 0) return worst;
    const data = await client.command('DATA');
    if (data.code !== 354) return refused('the mail', data);
    const end = await client.data(message);
    return end.code === 250 ? worst : refused('the mail', end);
  } finally {
    client.end();
  }
}

/** An address that can stand within `<` and `>`. A line end in it would begin another command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const ONE_ADDRESS = /^(?:"[^"\0-\x1f\x7f]*"|[^"<> \0-\x1f\x7f])*$/;

/** Reports a refusal. A 4xx reply is temporary, so the caller may try again; nothing is queued here. */
function refused(what: string, { code, text }: ServerReply, otherwise: number = EX.unavailable): number {
  return fail(code >= 400 && code < 500 ? EX.tempFail : otherwise, `${what} was refused: ${text}`);
}

/** Runs `-bs`: connects the caller with the server's SMTP session, byte for byte. */
async function speak(target: SmtpTarget): Promise<number> {
  let socket: Awaited<ReturnType<typeof open>>;
  try {
    socket = await open(target);
  } catch (error) {
    process.stdout.write('421 4.3.2 The mailcap server does not answer\r\n');
    return fail(EX.unavailable, noSmtp(target, error));
  }
  return new Promise((resolve) => {
    // The server refuses a client that speaks before its greeting, and a script on standard input speaks at once.
    socket.once('data', () => process.stdin.pipe(socket));
    socket.on('data', (bytes) => process.stdout.write(bytes));
    socket.once('error', (error) => resolve(fail(EX.ioErr, noSmtp(target, error))));
    socket.once('close', () => resolve(EX.ok));
  });
}

function fail(code: number, sentence: string): number {
  sayText(`sendmail: ${sentence.replace(/\s+/g, ' ')}\n`);
  return code;
}

function hostOf(): string {
  return hostname().replace(/[^A-Za-z0-9.-]/g, '') || 'localhost';
}

/** Returns the name of the user. A user of a container may have no entry in the user database, only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['LOGNAME'] || process.env['USER'] || `uid${process.getuid?.() ?? ''}`;
  }
}

// This module parses the command line of sendmail: single letters anywhere, a value with or without a space before it.

interface SendmailOptions {
  /** `-t`: takes the recipients from the To, Cc and Bcc fields too. */
  readonly readsRecipients: boolean;
  /** `-i`, `-oi`: a line with a single dot does not end the message. */
  readonly ignoresDots: boolean;
  /** `-bs`: the caller speaks SMTP on standard input and output. */
  readonly speaksSmtp: boolean;
  /** `-f`, `-r`: the envelope sender. `<>` is stored as an empty text. */
  readonly sender: string | null;
  /** `-F`: the sender's full name. */
  readonly fullName: string | null;
  readonly recipients: readonly string[];
  /** `--data-dir`, an option of our own: the data directory of the server. */
  readonly dataDir: string | null;
  /** `-S`, as Mailpit's program has it: the address and port of the server. */
  readonly smtpAddress: string | null;
}

/** The sentence that explains an invalid command line. */
interface Misuse {
  readonly misuse: string;
}

/** The letters whose value is the rest of the word, or the next word. */
const WITH_VALUE = new Set(['B', 'C', 'D', 'F', 'L', 'N', 'O', 'R', 'S', 'V', 'X', 'f', 'h', 'p', 'r']);
/** The letters that take the rest of the word, which may be empty. */
const WITH_REST = new Set(['o', 'd', 'q', 'M', 'b']);
/** The letters without a value. They set the delivery status, verbosity and queueing, and are ignored. */
const WITHOUT_VALUE = new Set(['A', 'G', 'I', 'U', 'c', 'e', 'm', 'n', 's', 'v', 'w', 'x']);

function readOptions(args: readonly string[], isMailpit: boolean): SendmailOptions | Misuse {
  let readsRecipients = false;
  let smtpAddress: string | null = null;
  let ignoresDots = false;
  let mode = 'm';
  let sender: string | null = null;
  let fullName: string | null = null;
  let dataDir: string | null = null;
  const recipients: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      recipients.push(...args.slice(at + 1));
      break;
    }
    const long = /^--data-dir(?:=(.*))?$/s.exec(arg);
    if (long !== null) {
      const value = long[1] ?? args[++at];
      if (!value) return { misuse: '--data-dir needs a value.' };
      dataDir = value;
      continue;
    }
    if (!arg.startsWith('-') || arg === '-') {
      recipients.push(arg);
      continue;
    }
    // Letters without a value may share a word, as in -ti.
    for (let letters = arg.slice(1); letters !== ''; ) {
      const letter = letters[0] ?? '';
      letters = letters.slice(1);
      if (letter === 't') readsRecipients = true;
      else if (letter === 'i') ignoresDots = true;
      else if (WITH_REST.has(letter)) {
        if (letter === 'o' && letters.startsWith('i')) ignoresDots = true;
        if (letter === 'b') mode = letters;
        letters = '';
      } else if (WITH_VALUE.has(letter)) {
        const value = letters === '' ? args[++at] : letters;
        if (value === undefined) return { misuse: `-${letter} needs a value.` };
        if (letter === 'f' || letter === 'r') sender = value.trim();
        if (letter === 'F') fullName = value;
        if (letter === 'S') smtpAddress = value || null;
        letters = '';
      } else if (!WITHOUT_VALUE.has(letter) && !isMailpit)
        return {
          misuse: `${letter === '-' ? arg : `-${letter}`}: no such option; mailcap sendmail --help lists the options.`,
        };
    }
  }
  if (mode !== 'm' && mode !== 's' && mode !== '')
    return { misuse: `-b${mode} is not supported: use -bm to send a mail, or -bs to speak SMTP.` };
  if (isMailpit) readsRecipients = recipients.length === 0;
  return { readsRecipients, ignoresDots, speaksSmtp: mode === 's', sender, fullName, recipients, dataDir, smtpAddress };
}

/** The timeout of the connection, in milliseconds. It is longer than a server takes for a mail. */
const PATIENCE_MS = 5 * 60_000;

interface ServerReply {
  readonly code: number;
  readonly text: string;
}

interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user: string | null;
  readonly password: string;
}

/** Parses an SMTP URL such as `smtp://user:password@host:port`; null if it is invalid. */
function parseSmtpUrl(url: string): SmtpTarget | null {
  if (!/^smtps?:\/\//i.test(url) || !isUrl(url)) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const tls = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (tls ? 465 : 25) : Number(port),
    tls,
    user: username === '' ? null : decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** Opens a connection. Rejects if nobody listens. */
export async function open({ host, port, tls }: SmtpTarget): Promise<Socket> {
  // A mail catcher's certificate is self-signed, so it is not verified.
  const to = { host, port, timeout: PATIENCE_MS };
  const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connectTcp(to);
  await once(socket, tls ? 'secureConnect' : 'connect');
  return socket;
}

/** An SMTP session over a connection. Each method sends a command and returns its reply. */
export class SmtpClient {
  readonly #socket: Socket;
  readonly #replies: AsyncGenerator<ServerReply, void, void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#socket.once('timeout', () => socket.destroy(new Error('the server does not answer')));
    this.#replies = repliesOf(socket);
  }

  async reply(): Promise<ServerReply> {
    const { value } = await this.#replies.next();
    if (value === undefined) throw new Error('the server closed the connection');
    return value;
  }

  command(line: string): Promise<ServerReply> {
    this.#socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends a message, dot-stuffed (RFC 5321 section 4.5.2), and the final dot. `message` must end with CRLF. */
  data(message: Buffer): Promise<ServerReply> {
    this.#socket.write(stuffed(message));
    this.#socket.write('.\r\n');
    return this.reply();
  }

  end(): void {
    this.#socket.end('QUIT\r\n');
    this.#socket.destroySoon();
  }
}

export function stuffed(message: Buffer): Buffer {
  return Buffer.from(message.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1');
}

async function* repliesOf(socket: Socket): AsyncGenerator<ServerReply, void, void> {
  let held = '';
  let lines: string[] = [];
  for await (const chunk of socket) {
    held += String(chunk);
    for (let end = held.indexOf('\n'); end !== -1; end = held.indexOf('\n')) {
      const line = held.slice(0, end).trimEnd();
      held = held.slice(end + 1);
      lines.push(line);
      if (/^\d{3}-/.test(line)) continue;
      yield { code: Number(line.slice(0, 3)), text: lines.join(' ') };
      lines = [];
    }
  }
}
