import { connectHost, urlHost } from '../config/host.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/user-error.ts';
import type { Arguments } from './arguments.ts';
import { EXIT } from './command.ts';
import { findServerMeant } from './connect.ts';
import { troubleOf } from './trouble.ts';

const PATIENCE_MS = 5_000;

/** Asks the server for its health: 0 it is up, 1 it is not, 4 there is none. */
export async function health(args: Arguments): Promise<number> {
  const url = await whereToAsk(args);
  let response: Response;
  try {
    response = await fetch(healthOf(url), { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return tell(1, `${url} does not answer.`);
    return tell(EXIT.unreachable, `no server at ${url}.`);
  }
  const body = await response.text().catch(() => '');
  const status = statusOf(body);
  if (status === null) return tell(1, `${url} answers, but is no mailcap.`);
  const trouble = troubleOf(status);
  if (trouble !== null) return tell(1, `${url} ${trouble}`);
  if (!response.ok || status !== 'ok')
    return tell(1, `${url} is not up: ${status.replaceAll('_', ' ')} (${response.status}).`);
  process.stdout.write(`${body}\n`);
  return 0;
}

/** `ok`, or what a server that is not up calls its state; null where it is no mailcap that answers. */
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

/** Where every command looks, or at the port that --host and --port name. */
async function whereToAsk(args: Arguments): Promise<string> {
  const { host, port } = args.flags;
  if (host === undefined && port === undefined) {
    const found = await findServerMeant(args);
    return found.at === 'url' ? found.url : found.running.url;
  }
  if (args.text('url') !== null || args.text('dataDir') !== null)
    throw new ConfigError('--host and --port name a server, as --url and --data-dir do: give one way.');
  const config = await loadConfig({ host, port }, process.env, process.cwd());
  return `http://${urlHost(connectHost(config.host))}:${config.port}`;
}

/** Below the path of the URL, which is not always the root: a proxy may put the server under one. */
function healthOf(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/_mailcap/health`;
  return url;
}

function tell(code: number, sentence: string): number {
  console.error(`mailcap: ${sentence}`);
  return code;
}
