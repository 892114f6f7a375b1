import { IS_TWO } from './two-servers.ts';

/**
 * The parts of a server that two servers do not share, each with the reason. The tests of HTTP and SMTP can't ask two
 * servers in turn about them. A test that needs one names it.
 */
const OF_ONE_SERVER = {
  'its counters': 'metrics of requests and refusals are of the server that is scraped (docs/postgres.md)',
  'its connections': 'the bounds of connections and of subscribers keep one process alive, so each process has its own',
  'its log': 'what is logged once is logged once by each server',
  'its certificate': 'each server makes its own, unless both are given one',
  'its caches': 'what DNS said is known to the server that asked',
  'its processor time': 'what a mail costs is measured in one process',
  'its stop': 'a server that stops does not wait for mail on its way to another',
  'a spy on it': 'the test watches the inside of one server',
} as const;

/** Returns the reason to skip a test with two servers, because it needs what each has for itself. Null with one. */
export function ofOneServer(what: keyof typeof OF_ONE_SERVER): string | null {
  return IS_TWO ? `two servers do not share it: ${OF_ONE_SERVER[what]}` : null;
}
