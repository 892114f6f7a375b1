import { findServer, findServerAbove } from '../client/find-server.ts';
import { connectHost, urlHost } from '../config/host.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/user-error.ts';
import { EXIT } from './command.ts';
import type { Flags } from './dev-flags.ts';
import { troubleOf } from './trouble.ts';

const PATIENCE_MS = 5_000;

/** Asks the server for its health: 0 it is up, 1 it is not, 4 there is none. */
export async function health(flags: Flags): Promise<number> {
  const url = await whereToAsk(flags);
  let response: Response;
  try {
    response = await fetch(healthOf(url), { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return tell(1, `${url} does not answer.`);
    return tell(EXIT.unreachable, `no server at ${url}.`);
  }
  const body = await response.text().catch(() => '');
  const status = statusIn(body);
  const trouble = troubleOf(status);
  if (trouble !== null) return tell(1, `${url} ${trouble}`);
  if (!response.ok) return tell(1, `${url} is not up: ${response.status} ${body}`);
  if (status !== 'ok') return tell(1, `${url} answers, but is no mailcap.`);
  process.stdout.write(`${body}\n`);
  return 0;
}

function statusIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
  } catch {
    return undefined;
  }
}

async function whereToAsk({ url, ...flags }: Flags): Promise<string> {
  const given = url ?? (process.env['MAILCAP_URL'] || null);
  if (given !== null) {
    if (typeof given === 'string' && URL.canParse(given)) return given;
    throw new ConfigError(
      `${url === undefined ? 'MAILCAP_URL' : '--url'}: expected a URL, as in http://127.0.0.1:8025.`,
    );
  }
  const config = await loadConfig(flags, process.env, process.cwd());
  const atPort = `http://${urlHost(connectHost(config.host))}:${config.port}`;
  if (flags['host'] !== undefined || flags['port'] !== undefined) return atPort;
  const running = config.given.has('dataDir') ? await findServer(config.dataDir) : await findServerAbove(process.cwd());
  return running?.url ?? atPort;
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
