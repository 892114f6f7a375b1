import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient, NoServerError } from '../../src/client/index.ts';
import { now, RUN_STARTED_AT } from '../../src/client/internal.ts';
import { inTheClear, sendingVariables } from './environment.ts';
import { loopbackFetch } from './loopback-fetch.ts';

// A run uses the server that runs here, as the fixtures do, so that somebody can look at its mail afterwards.

/** Tells whether a server may run in a directory or above it. Only the client decides whether it believes the file. */
export function mayRunAbove(directory: string): boolean {
  const above = dirname(directory);
  return existsSync(join(directory, '.mailcap', 'server.json')) || (above !== directory && mayRunAbove(above));
}

/**
 * Returns the variables of the server that runs in this directory or above it, for the code under test and the tests;
 * null if none runs. Warns of a server that is not believed.
 */
export async function variablesOfRunning(): Promise<Readonly<Record<string, string>> | null> {
  const client = createClient({ fetch: loopbackFetch });
  try {
    const { url, apiKey, adminToken } = await client.server();
    const { smtpUrl } = await client.local.getInfo();
    return {
      MAILCAP_URL: url,
      ...(apiKey !== null && { MAILCAP_API_KEY: apiKey }),
      ...(adminToken !== null && { MAILCAP_ADMIN_TOKEN: adminToken }),
      ...sendingVariables(url, inTheClear(smtpUrl)),
      [RUN_STARTED_AT]: new Date(now()).toISOString(),
    };
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    warnIfRefused(error);
    return null;
  }
}

/** Warns of a server that is not believed, because the user may wait for the mail in its inbox. */
export function warnIfRefused({ code, message }: NoServerError): void {
  if (code === 'server_refused')
    process.emitWarning(`${message}\nThe tests start a server of their own.`, { code: 'MAILCAP_SERVER_REFUSED' });
}
