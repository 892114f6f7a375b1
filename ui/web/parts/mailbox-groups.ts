import type { MailboxEntry } from '../app/state.ts';

/** The mailboxes of a workspace, which is the app's own or that of a worker of tests. */
export interface MailboxSection {
  readonly id: string;
  readonly title: string;
  /** The most important of its states: a test waits, a test failed, or all its mailboxes were deleted. */
  readonly state: 'waiting' | 'failed' | 'done' | 'plain';
  readonly mailboxes: readonly MailboxEntry[];
}

/**
 * The end of the name of a worker's workspace: its process, and the run that keeps it because a test failed
 * (plugins/shared/leftovers.ts).
 */
const WORKER = / \((?:process \d+ )?of [0-9a-f]{16}(?<kept>, kept by \d+ of [0-9a-f]{16})?\)$/;
const ORDER = { waiting: 0, failed: 1, plain: 2, done: 3 } as const;

/**
 * Groups mailboxes by workspace. The seeded workspace comes first, then workers with a test that waits, then those with
 * a failed test. In a group, mailboxes in which a test waits come first, and deleted ones last.
 */
export function groupMailboxes(
  mailboxes: readonly MailboxEntry[],
  workspaces: readonly { readonly id: string; readonly name: string }[],
  waits: ReadonlySet<string>,
): readonly MailboxSection[] {
  const byWorkspace = new Map<string, MailboxEntry[]>();
  for (const one of mailboxes) {
    const ones = byWorkspace.get(one.workspaceId);
    if (ones === undefined) byWorkspace.set(one.workspaceId, [one]);
    else ones.push(one);
  }
  const groups = [...byWorkspace].map(([id, ones]): MailboxSection & { readonly isSeeded: boolean } => {
    const name = workspaces.find((one) => one.id === id)?.name ?? 'a deleted workspace';
    const isKept = WORKER.exec(name)?.groups?.['kept'] !== undefined;
    const rank = (one: MailboxEntry) => (waits.has(one.id) ? 0 : one.gone ? 2 : 1);
    return {
      id,
      title: name.replace(WORKER, ''),
      state: ones.some((one) => waits.has(one.id))
        ? 'waiting'
        : isKept
          ? 'failed'
          : ones.every(({ gone }) => gone)
            ? 'done'
            : 'plain',
      // The sort is stable: within a rank the order of the server stays.
      mailboxes: ones.toSorted((a, b) => rank(a) - rank(b)),
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
