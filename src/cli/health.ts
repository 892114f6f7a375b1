import { connectHost, urlHost } from '../config/host.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError, UserError } from '../config/user-error.ts';
import { jsonOrNull } from '../text/unknown.ts';
import { sleep, steady } from './clock.ts';
import { type Arguments, EXIT } from './command.ts';
import { findServerMeant } from './connect.ts';
import { printJsonText } from './output.ts';
import { type QuickReply, quickFetch } from './quick-fetch.ts';
import { noAnswerAt, troubleOf } from './unreachable.ts';

const PATIENCE_MS = 5_000;

/**
 * Runs `mailcap health`. Exit code 0: the server is up. 1: it is not healthy. 4: there is no server. With `--wait` it
 * asks until the server is up, and the exit code is 3 if it was not in time.
 */
export async function health(args: Arguments): Promise<number> {
  const seconds = args.seconds('wait');
  const body = seconds === null ? await ask(args, PATIENCE_MS) : await untilUp(args, seconds);
  printJsonText(`${body.trim()}\n`);
  return EXIT.done;
}

const LOOK_EVERY_MS = 50;
/** The time in milliseconds that the last look gets too, so that a port where nothing listens is told as such. */
const LEAST_PATIENCE_MS = 250;

async function untilUp(args: Arguments, seconds: number): Promise<string> {
  const end = steady() + seconds * 1_000;
  for (;;) {
    try {
      return await ask(args, Math.ceil(Math.max(LEAST_PATIENCE_MS, Math.min(PATIENCE_MS, end - steady()))));
    } catch (error) {
      // A server that is about to start is not found yet, or is not up. A wrong command line stays wrong.
      if (!(error instanceof UserError) || error.exitCode === EXIT.misuse) throw error;
      if (steady() >= end) throw new UserError(`no server is up after ${seconds} s: ${error.message}`, EXIT.timedOut);
    }
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, end - steady())));
  }
}

/**
 * Returns the error that the program at the URL of a command is not mailcap. Null if it is, or if this is not known. It
 * explains an error that nothing else does: of an answer that no server of mailcap gives.
 */
export async function notMailcap(args: Arguments): Promise<UserError | null> {
  const error = await ask(args, PATIENCE_MS).then(
    () => null,
    (error: unknown) => error,
  );
  return error instanceof OtherProgramError ? error : null;
}

class OtherProgramError extends UserError {}

/** Returns what a healthy server answers. Throws a {@link UserError} for any other. */
async function ask(args: Arguments, patienceMs: number): Promise<string> {
  const url = await whereToAsk(args);
  let response: QuickReply;
  try {
    response = await quickFetch(healthOf(url), { signal: AbortSignal.timeout(patienceMs) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') throw new UserError(`${url} does not answer.`);
    throw new UserError(noAnswerAt(url, error), EXIT.unreachable);
  }
  const body = await response.text().catch(() => '');
  const status = statusOf(body);
  if (status === null) throw new OtherProgramError(`${url} answers, but is not mailcap.`);
  const trouble = troubleOf(status);
  if (trouble !== null) throw new UserError(`${url} ${trouble}`);
  if (!response.ok || status !== 'ok')
    throw new UserError(`${url} is not up: ${status.replaceAll('_', ' ')} (${response.status}).`);
  return body;
}

/** Returns `ok`, or the state that an unhealthy server reports; null if the answer is not from mailcap. */
function statusOf(body: string): string | null {
  const { status, error }: { status?: unknown; error?: unknown } = Object(jsonOrNull(body));
  const told = status ?? error;
  return typeof told === 'string' && /^[a-z_]{1,40}$/.test(told) ? told : null;
}

/** Returns the URL to ask: at --host and --port, else that of the server that every command finds. */
async function whereToAsk(args: Arguments): Promise<string> {
  const { host, port } = args.flags;
  if (host === undefined && port === undefined) {
    const found = await findServerMeant(args);
    return found.at === 'url' ? found.url : found.running.url;
  }
  if (args.text('url') !== null || args.text('dataDir') !== null)
    throw new ConfigError(
      '--host and --port name a server, and so do --url and --data-dir: use only one of the two ways.',
    );
  const config = await loadConfig({ host, port }, process.env, process.cwd(), 'json');
  return `${config.https === 'on' ? 'https' : 'http'}://${urlHost(connectHost(config.host))}:${config.port}`;
}

/** Returns the health URL below the path of the base URL, because a proxy may serve the server under a path. */
function healthOf(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/_mailcap/health`;
  return url;
}
