import { addSuppression } from '../actions/sends.ts';
import { comparableAddress } from '../domain/address.ts';
import { parseUlid, type SuppressionId } from '../domain/ids.ts';
import type { SuppressionEntry } from '../domain/outbound.ts';
import type { Reader, Tx } from '../ports/store.ts';
import type { DoorCall, DoorRefusal, DoorRoute } from './door.ts';
import type { RecordScope } from './records.ts';
import { changeRoute, getRoute } from './routes.ts';

// The suppression list of a workspace, which the APIs of all providers share.

/** A list of suppressed addresses as a provider's API has it: all of them, or those of a reason. */
export interface SuppressionList {
  readonly path: string;
  readonly reason?: SuppressionEntry['reason'];
  /** Shows an entry in an answer. */
  show(entry: SuppressionEntry): object;
  /** Shows the list of entries, each as `show` shows it. */
  list(shown: readonly object[], call: DoorCall): unknown;
  /** Shows the entry that a path names. Absent: the API reads no single entry. */
  found?(shown: object): unknown;
  /** The answer for an address that is not on the list. Absent: `notFound`. */
  readonly missing?: unknown;
  /** Takes addresses, if the API does. */
  readonly add?: {
    readonly method: 'POST' | 'PUT';
    readonly status: number;
    /** Reads the entries of a request. Throws a refusal of the provider. */
    read(call: DoorCall): readonly Pick<SuppressionEntry, 'recipient' | 'reason'>[];
    answer(shown: readonly object[]): unknown;
  };
  /** Returns what is answered to the removal of an entry, as `show` showed it. Absent: 204. */
  removed?(shown: object): unknown;
  notFound(call: DoorCall): DoorRefusal;
}

/** Returns the routes of a list. The path of an entry ends with its address or its id. */
export function suppressionRoutes(list: SuppressionList): DoorRoute[] {
  const { path, reason = null, add, found, removed } = list;
  const entryOf = async (call: DoorCall, reader: Pick<Reader, 'suppression'>) => {
    const named = call.params['address'] ?? '';
    const id = parseUlid<SuppressionId>(named.toUpperCase());
    const entry = id === null ? await suppressionOf(call, reader, named, reason) : await reader.suppression.get(id);
    return entry?.workspaceId === call.workspaceId ? entry : null;
  };
  const routes = [
    getRoute(path, async (call) => list.list((await suppressions(call, reason)).map(list.show), call)),
    changeRoute('DELETE', `${path}/:address`, removed === undefined ? 204 : 200, async (call, tx) => {
      const entry = await entryOf(call, tx);
      if (entry === null) throw list.notFound(call);
      await tx.suppression.remove(entry.id);
      return removed?.(list.show(entry));
    }),
  ];
  if (found !== undefined)
    routes.push(
      getRoute(`${path}/:address`, async (call, reader) => {
        const entry = await entryOf(call, reader);
        if (entry === null && list.missing === undefined) throw list.notFound(call);
        return entry === null ? list.missing : found(list.show(entry));
      }),
    );
  if (add === undefined) return routes;
  const adding = changeRoute(add.method, path, add.status, async (call, tx) => {
    const added: SuppressionEntry[] = [];
    for (const entry of add.read(call)) added.push(await addSuppression(call.ctx, tx, call.workspaceId, entry));
    return add.answer(added.map(list.show));
  });
  return [...routes, adding];
}

/** Lists the entries of the workspace, or those of a reason. */
export async function suppressions(
  { ctx, workspaceId }: RecordScope,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<SuppressionEntry[]> {
  const all = await (await ctx.store.readNow()).suppression.list(workspaceId);
  return reason === null ? [...all] : all.filter((one) => one.reason === reason);
}

/** Returns the entry of an address; null if there is none, or it has another reason. */
export async function suppressionOf(
  { workspaceId }: Pick<RecordScope, 'workspaceId'>,
  reader: Pick<Reader, 'suppression'>,
  address: string | undefined,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<SuppressionEntry | null> {
  const entry = await reader.suppression.byRecipient(workspaceId, comparableAddress(address ?? ''));
  return entry === null || (reason !== null && entry.reason !== reason) ? null : entry;
}

/** Removes the entry of an address. Returns whether there was one. */
export async function liftSuppression(
  scope: Pick<RecordScope, 'workspaceId'>,
  tx: Tx,
  address: string | undefined,
  reason: SuppressionEntry['reason'] | null = null,
): Promise<boolean> {
  const entry = await suppressionOf(scope, tx, address, reason);
  if (entry !== null) await tx.suppression.remove(entry.id);
  return entry !== null;
}
