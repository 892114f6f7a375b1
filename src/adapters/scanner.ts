import type { VirusScanner } from '../ports/mail.ts';
import type { Clock, Log } from '../ports/system.ts';
import type { DaemonAddress } from './daemon-calls.ts';

/** The scanner without a daemon. It scans nothing (docs/contract.md#spf-and-virus-scan). */
const noScanner: VirusScanner = { scan: async () => 0, close: () => {} };

/** Creates the scanner. It loads the clamd client only if a daemon is configured. */
export async function createVirusScanner(clamd: DaemonAddress | null, clock: Clock, log: Log): Promise<VirusScanner> {
  if (clamd === null) return noScanner;
  const { createClamd, createClamdScanner } = await import('./clamd.ts');
  return createClamdScanner(createClamd(clamd, clock), log, `clamd at ${clamd.host}, port ${clamd.port},`);
}
