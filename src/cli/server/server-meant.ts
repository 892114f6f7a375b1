import { createToolClient } from '../../client/client.ts';
import { findReadyServer } from '../../client/connection/find-server.ts';
import { NoServerError } from '../../client/errors.ts';
import type { Announced } from '../../runtime.ts';
import type { Arguments } from '../arguments.ts';
import { type FoundServer, lookUp, variable } from '../look-up.ts';
import { noAnswerAt } from '../unreachable.ts';
import { type DoctorFinding, failed, ok, warning } from './finding.ts';

const PATIENCE_MS = 5_000;

/** The server that the other commands would talk to. `url` and `smtpUrl` are null if none answers. */
export type ServerMeant = { readonly url: string | null; readonly smtpUrl: string | null } & (
  | { readonly at: 'directory'; readonly running: Announced | null }
  | { readonly at: 'refused'; readonly finding: DoctorFinding }
  | { readonly at: 'url'; readonly finding: DoctorFinding }
);

/**
 * Finds the server that the other commands would talk to, by the same look-up. A data directory need not have a running
 * server, because users also run the doctor before the first start.
 */
export async function serverMeant(args: Arguments, dataDir: string): Promise<ServerMeant> {
  const url = args.text('url');
  const isDirectory =
    args.text('dataDir') !== null || (variable('MAILCAP_URL') === null && variable('MAILCAP_DATA_DIR') !== null);
  let found: FoundServer | null;
  try {
    if (url === null && isDirectory) return inDirectory(await findReadyServer(dataDir));
    found = await lookUp({ url, dataDir: args.text('dataDir'), readsConfig: true });
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    const message = error.message.split('\n', 1).join();
    return { at: 'refused', url: null, smtpUrl: null, finding: warning('Server', message, error.hint ?? '') };
  }
  return found?.at === 'url' ? atUrl(found.url, found.namedBy) : inDirectory(found?.running ?? null);
}

function inDirectory(running: Announced | null): ServerMeant {
  return { at: 'directory', running, url: running?.url ?? null, smtpUrl: running?.smtpUrl ?? null };
}

async function atUrl(url: string, namedBy: string): Promise<ServerMeant> {
  try {
    const response = await fetch(`${url}/_mailcap/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const message = `${url}, which ${namedBy} names, answers ${response.status}`;
    const finding = response.ok
      ? ok('Server', message)
      : failed('Server', message, '`mailcap health` shows the state of the server.');
    return { at: 'url', url, smtpUrl: await smtpUrlOf(url), finding };
  } catch (error) {
    const hint = `Start it, or correct ${namedBy}; without it, the server of this directory is used.`;
    return { at: 'url', url: null, smtpUrl: null, finding: failed('Server', noAnswerAt(url, error), hint) };
  }
}

/** Asks a server for its SMTP address; null if it does not tell. */
async function smtpUrlOf(baseUrl: string): Promise<string | null> {
  return createToolClient({ baseUrl })
    .local.info()
    .then(
      ({ smtpUrl }) => smtpUrl,
      () => null,
    );
}
