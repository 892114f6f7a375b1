import type { Client } from '../../src/client/index.ts';
import type { RunProject } from './leftovers.ts';

// A test that failed keeps its mailboxes and webhooks, so that a person can look at them after the run. They stay in
// their worker's workspace until the next run of the project, which deletes it (leftovers.ts).

/** When the server of a worker ends: with the worker, with the run, or at some later time that nobody knows. */
export type ServerEnds = 'with the worker' | 'with the run' | 'later';

/** The workspace of a worker, as far as it can be kept. */
export interface Keeper {
  readonly project: RunProject;
  readonly ends: ServerEnds;
  /** Marks the worker's workspace as kept. Resolves with false if the next run could not find it. */
  keep(): Promise<boolean>;
}

/** The mailbox or webhook of a failed test, and what becomes of it. */
export interface Fate {
  /** The name of the thing in a sentence. */
  readonly what: 'mailbox' | 'webhook';
  /** The URL of its page in the web inbox. */
  readonly page: string;
  readonly isKept: boolean;
  readonly ends: ServerEnds;
  /** `true` if the report of the test contains what came. */
  readonly isReported: boolean;
}

const keepings = new WeakMap<Client, Keeper>();

/** Remembers what the worker of a client can keep. */
export function setKeeping(client: Client, keeping: Keeper): void {
  keepings.set(client, keeping);
}

/** Returns what the worker of a client can keep; null in the cloud, whose mailboxes stay anyway. */
export function keepingOf(client: Client): Keeper | null {
  return keepings.get(client) ?? null;
}

/** Tells whether a failed test keeps what it used. By default it does, except in CI, where nobody looks at it later. */
export function keeps(option: 'on-failure' | 'off' | undefined): boolean {
  return (option ?? (isCI(process.env['CI']) ? 'off' : 'on-failure')) === 'on-failure';
}

function isCI(variable: string | undefined): boolean {
  return !['', '0', 'false'].includes(variable?.toLowerCase() ?? '');
}

/** Returns the sentences that say where the mail or the requests of a failed test are. */
export function whereItIs({ what, page, isKept, ends, isReported }: Fate): string {
  if (isKept && ends === 'later') return `Look at the ${what} at ${page} until the next run of the tests.`;
  if (isKept && ends === 'with the run')
    return `Look at the ${what} at ${page} while the run lasts: its server ends with it. ${RUN_ONE}`;
  const report = isReported ? ' What it received is in the report of the test.' : '';
  return ends === 'later'
    ? `The ${what} is deleted with the test.${report} With mailcapKeep: 'on-failure' it stays until the next run.`
    : `The ${what} is gone after the test, because the run has a server of its own.${report} ${RUN_ONE}`;
}

const RUN_ONE = 'On a server that runs before the tests (`npx mailcap dev`), it stays until the next run.';
