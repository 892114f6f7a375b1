import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { type MessageId, parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { momentNow } from '../../ports/clock.ts';
import type { Anyone, FindObject } from '../route.ts';

// The APIs of other catchers know one store of mail. Here it is the seeded workspace, with all of its mailboxes.

/** Returns the id of the seeded workspace. Throws `starting` before there is one. */
export async function seededWorkspaceId({ store }: Context): Promise<WorkspaceId> {
  const seeded = (await store.read.workspaces.list()).find((workspace) => workspace.seeded);
  if (seeded === undefined) throw refuse('starting');
  return seeded.id;
}

/** Finds a message of the seeded workspace, by `id`. */
export const seededMessage: FindObject<Anyone, Message> = ({ ctx, params }) =>
  findSeededMessage(ctx, params['id'] ?? '');

/** Reads a message of the seeded workspace. Throws `not_found`. */
export async function findSeededMessage(ctx: Context, text: string): Promise<Message> {
  const id = parseUlid<MessageId>(text);
  const message = id === null ? null : await ctx.store.read.messages.get(id, momentNow(ctx.clock));
  if (message === null || message.workspaceId !== (await seededWorkspaceId(ctx))) throw refuse('not_found');
  return message;
}
