import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { ApiError, refuse, there } from '../domain/errors.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { claimKey, MAX_CLAIMED, parseClaim } from '../domain/routing.ts';
import type { Tx } from '../ports/store.ts';
import { recordUpdate } from './mailboxes.ts';
import { type WaitBounds, waitUntil } from './waits.ts';

/** The longest time between two looks at a claim that another mailbox has. A release on another server is no news here. */
const LOOK_MS = 1_000;

/**
 * Routes mail to these addresses into the mailbox. They replace the addresses it claimed before
 * (docs/claimed-addresses.md). It waits within `bounds` while another mailbox claims one of them. Callers that
 * wait for the same address get it in the order in which they came. `done` runs in the transaction of the claim. Throws
 * `invalid_addresses` with the index of the first invalid entry, and `address_taken` with the mailbox that claims one of
 * them when the time is over.
 */
export async function claimInTurn<T>(
  ctx: Context,
  { id }: Mailbox,
  given: unknown,
  bounds: WaitBounds,
  done: (tx: Tx, mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const addresses = requireAddresses(given);
  const attempt = () =>
    ctx.store.transaction(async (tx) => {
      // Its test may have ended while it waited.
      const mailbox = there(await tx.mailboxes.get(id));
      const before = await tx.mailboxes.addresses(id);
      await setAddresses(tx, mailbox, addresses);
      if (!isDeepStrictEqual(before, await tx.mailboxes.addresses(id))) await recordUpdate(ctx, tx, mailbox);
      return done(tx, mailbox);
    });
  const turn = ctx.claimTurns.join(addresses.map(claimKey));
  let holder: MailboxId | null = null;
  const changes = (wake: () => void) => turn.onChange(wake);
  const releases = (wake: () => void) =>
    ctx.store.onCommit(({ mailboxIds, all }) => {
      if (all || (holder !== null && mailboxIds.has(holder))) wake();
    });
  try {
    const claimed = await waitUntil(ctx.clock, bounds, [changes, releases], async ({ isLast, again }) => {
      try {
        // At the end of its time a caller learns who claims the address, even if others would be next.
        if (isLast || turn.isFirst()) return { result: await attempt() };
      } catch (error) {
        if (isLast || !(error instanceof ApiError) || error.code !== 'address_taken') throw error;
        const named = parseUlid<MailboxId>(String(error.extra['mailboxId']));
        const isOther = named !== holder;
        holder = named;
        // A release between the attempt and this line is no news yet, so the first one looks again at once.
        if (isOther) {
          again(0);
          return null;
        }
      }
      again(LOOK_MS);
      return null;
    });
    // The last attempt succeeds or throws.
    if (claimed === null) throw new Error('a claim ended without an attempt');
    return claimed.result;
  } finally {
    turn.leave();
  }
}

async function setAddresses(tx: Tx, mailbox: Mailbox, addresses: readonly string[]): Promise<void> {
  try {
    await tx.mailboxes.setAddresses(mailbox.id, addresses);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'address_taken' ? await withHolder(tx, error) : error;
  }
}

function requireAddresses(given: unknown): string[] {
  if (!Array.isArray(given) || given.length > MAX_CLAIMED) throw refuse('invalid_addresses');
  const byKey = new Map<string, string>();
  for (const [index, entry] of given.entries()) {
    const claim = typeof entry === 'string' ? parseClaim(entry) : null;
    if (claim === null) throw refuse('invalid_addresses', { index });
    const key = claimKey(claim);
    if (!byKey.has(key)) byKey.set(key, claim);
  }
  return [...byKey.values()];
}

/**
 * Adds the names of the mailbox and workspace that claim the address to the error. It tells two tests that claim the
 * same address about each other.
 */
async function withHolder(tx: Tx, { code, extra }: ApiError): Promise<ApiError> {
  const id = parseUlid<MailboxId>(String(extra['mailboxId']));
  const holder = id === null ? null : await tx.mailboxes.get(id);
  const workspace = holder === null ? null : await tx.workspaces.get(holder.workspaceId);
  return refuse(code, {
    ...extra,
    mailboxName: holder?.name ?? '',
    workspaceId: workspace?.id ?? '',
    workspaceName: workspace?.name ?? '',
  });
}
