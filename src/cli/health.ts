import { connectHost, urlHost } from '../config/host.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/user-error.ts';
import { type Arguments, EXIT } from './command.ts';
import { findServerMeant } from './connect.ts';
import { printJsonText, say } from './output.ts';
import { noAnswerAt, troubleOf } from './unreachable.ts';

const PATIENCE_MS = 5_000;

/** Runs `mailcap health`. Exit code 0: the server is up. 1: it is not healthy. 4: there is no server. */
export async function health(args: Arguments): Promise<number> {
  const url = await whereToAsk(args);
  let response: Response;
  try {
    response = await fetch(healthOf(url), { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return tell(1, `${url} does not answer.`);
    return tell(EXIT.unreachable, noAnswerAt(url, error));
  }
  const body = await response.text().catch(() => '');
  const status = statusOf(body);
  if (status === null) return tell(1, `${url} answers, but is not mailcap.`);
  const trouble = troubleOf(status);
  if (trouble !== null) return tell(1, `${url} ${trouble}`);
  if (!response.ok || status !== 'ok')
    return tell(1, `${url} is not up: ${status.replaceAll('_', ' ')} (${response.status}).`);
  printJsonText(`${body.trim()}\n`);
  return 0;
}

/** Returns `ok`, or the state that an unhealthy server reports; null if the answer is not from mailcap. */
function statusOf(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return null;
    const status = 'status' in value ? value.status : 'error' in value ? value.error : null;
    return typeof status === 'string' && /^[a-z_]{1,40}$/.test(status) ? status : null;
  } catch {
    return null;
  }
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
  return `http://${urlHost(connectHost(config.host))}:${config.port}`;
}

/** Returns the health URL below the path of the base URL, because a proxy may serve the server under a path. */
function healthOf(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/_mailcap/health`;
  return url;
}

function tell(code: number, sentence: string): number {
  say(sentence);
  return code;
}
