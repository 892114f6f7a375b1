import { grouped } from '../../../src/text/maps.ts';
import type { MailboxEntry } from '../app/state.ts';
import type { TestPlace } from './test-places.ts';

/** The mailboxes of a run of tests, or of a workspace, which is the app's own or that of a worker of tests. */
export interface MailboxSection {
  readonly id: string;
  readonly title: string;
  /** The most important of its states: a test waits, a test failed, or all its mailboxes were deleted. */
  readonly state: 'waiting' | 'failed' | 'done' | 'plain';
  /** Those of a test stand together. */
  readonly mailboxes: readonly MailboxEntry[];
}

/**
 * The end of the name of a worker's workspace: its process, and the run that keeps it because a test failed
 * (plugins/shared/leftovers.ts).
 */
const WORKER = / \((?:process \d+ )?of [0-9a-f]{16}(?<kept>, kept by \d+ of [0-9a-f]{16})?\)$/;
const ORDER = { waiting: 0, failed: 1, plain: 2, done: 3 } as const;
/** The order of tests in a run. A mailbox in which a test waits comes before them, and a deleted one after them. */
const RANK = { failed: 1, running: 2, flaky: 3, passed: 3, skipped: 3 } as const;

/** Returns the name of a workspace without what only its worker reads. */
export function workspaceName(name: string): string {
  return name.replace(WORKER, '');
}

/** Tells whether a workspace is that of a worker of tests. */
export function isWorker({ name }: { readonly name: string }): boolean {
  return WORKER.test(name);
}

/**
 * Groups mailboxes by the run of their test, and the others by workspace. The seeded workspace comes first, then what has
 * a test that waits, then what has a failed test. In a group, mailboxes in which a test waits come first, then those of
 * failed tests, and deleted ones last.
 */
export function groupMailboxes(
  mailboxes: readonly MailboxEntry[],
  workspaces: readonly { readonly id: string; readonly name: string }[],
  waits: ReadonlySet<string>,
  places: ReadonlyMap<string, TestPlace> = new Map(),
): readonly MailboxSection[] {
  const byGroup = grouped(mailboxes, (one): string => places.get(one.id)?.run.id ?? one.workspaceId);
  // The mailboxes of a test stay together, at the place of its most important one.
  const rankOf = (one: MailboxEntry) =>
    waits.has(one.id) ? 0 : one.gone ? 4 : RANK[places.get(one.id)?.test.outcome ?? 'passed'];
  const groups = [...byGroup].map(([id, ones]): MailboxSection & { readonly isSeeded: boolean } => {
    const run = ones.map((one) => places.get(one.id)?.run).find((found) => found?.id === id);
    const name = run?.title ?? workspaces.find((one) => one.id === id)?.name ?? 'a deleted workspace';
    const isFailed = run === undefined ? WORKER.exec(name)?.groups?.['kept'] !== undefined : run.failed > 0;
    const ranks = new Map<string, number>();
    const keyOf = (one: MailboxEntry) => places.get(one.id)?.test.id ?? one.id;
    for (const one of ones) ranks.set(keyOf(one), Math.min(rankOf(one), ranks.get(keyOf(one)) ?? 4));
    const order = new Map([...ranks].toSorted(([, a], [, b]) => a - b).map(([key], at) => [key, at]));
    const placeOf = (one: MailboxEntry) => order.get(keyOf(one)) ?? 0;
    return {
      id,
      title: workspaceName(name),
      state: ones.some((one) => waits.has(one.id))
        ? 'waiting'
        : isFailed
          ? 'failed'
          : ones.every(({ gone }) => gone)
            ? 'done'
            : 'plain',
      // The sort is stable: within a rank the order of the server stays.
      mailboxes: ones.toSorted((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b)),
      isSeeded: ones.some(({ seeded }) => seeded),
    };
  });
  return groups
    .toSorted((a, b) => Number(b.isSeeded) - Number(a.isSeeded) || ORDER[a.state] - ORDER[b.state])
    .map(({ isSeeded: _isSeeded, ...group }) => group);
}

/** The number of characters at the end of a name that stay when its middle is cut. */
const END = 12;

/** Splits a name so that its middle can be cut: names of tests begin alike, and their ends tell them apart. */
export function splitName(name: string): readonly [begin: string, end: string] {
  if (name.length <= 2 * END) return [name, ''];
  // A pair of surrogates is one character.
  const at = name.length - END;
  const cut = /[\udc00-\udfff]/.test(name.charAt(at)) ? at - 1 : at;
  return [name.slice(0, cut), name.slice(cut)];
}
