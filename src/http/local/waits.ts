import { z } from 'zod';
import { timeIn } from '../../actions/time.ts';
import type { Context } from '../../context.ts';
import { writeTime } from '../../domain/time.ts';
import type { HeldWait } from '../../ports/waiting.ts';
import { localRoute } from '../route.ts';

// This module implements docs/api.md#messages-of-all-mailboxes: the list of awaits that are held now.

export const WaitResponse = z.object({
  kind: z.enum(['message', 'request']),
  workspaceId: z.string(),
  mailboxId: z.string().nullable(),
  webhookId: z.string().nullable(),
  filters: z.record(z.string(), z.string()).describe('The given filters, and since or after'),
  note: z
    .object({
      call: z.string(),
      since: z.iso.datetime({ offset: true }),
      filters: z.record(z.string(), z.string()),
      asked: z.object({ subject: z.string(), from: z.string(), to: z.string(), body: z.string() }).partial(),
      undecided: z.array(z.string()),
      refused: z.array(z.object({ id: z.string(), reason: z.string() })),
    })
    .nullable()
    .describe('The wait as the client tells it, with the messages that it refused; null if it tells nothing'),
  heldSince: z.iso.datetime({ offset: true }),
  until: z.iso.datetime({ offset: true }),
});

export const waits = [
  localRoute('GET', '/_mailcap/waits', {
    id: 'listWaits',
    summary: 'List the awaits held now',
    returns: { 200: z.array(WaitResponse) },
    handle: async ({ ctx }) => {
      const ofOthers = (await ctx.cluster.awaitsOfOthers()).flatMap(({ waits }) => waits);
      const all = [...ctx.waits.list(), ...ofOthers];
      return all.sort((one, other) => one.heldSince - other.heldSince).map(toWaitResponse);
    },
  }),
];

function toWaitResponse({ heldSince, until, filters, note, ...wait }: HeldWait): z.infer<typeof WaitResponse> {
  return {
    ...wait,
    note: toNote(note),
    filters: { ...filters },
    heldSince: writeTime(heldSince),
    until: writeTime(until),
  };
}

function toNote(note: HeldWait['note']): z.infer<typeof WaitResponse>['note'] {
  if (note === null) return null;
  const { asked, filters, undecided, refused, ...rest } = note;
  return { ...rest, asked: { ...asked }, filters: { ...filters }, undecided: [...undecided], refused: [...refused] };
}

/** Holds an await on the list while `wait` runs. Empty or undefined `filters` are left out. */
export async function holdAwait<T>(
  ctx: Context,
  about: Omit<HeldWait, 'filters' | 'note' | 'heldSince' | 'until'> & Partial<Pick<HeldWait, 'note'>>,
  {
    filters,
    timeoutMs,
  }: { readonly filters: Readonly<Record<string, string | undefined>>; readonly timeoutMs: number },
  wait: () => Promise<T>,
): Promise<T> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const heldSince = await timeIn(ctx, ctx.store.read, about.workspaceId);
  const release = ctx.waits.hold({
    note: null,
    ...about,
    filters: Object.fromEntries(given),
    heldSince,
    until: heldSince + timeoutMs,
  });
  try {
    return await wait();
  } finally {
    release();
  }
}
