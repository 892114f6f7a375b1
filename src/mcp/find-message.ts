import { type CallOptions, type Client, type MessageDetailResponse, RefusedError } from '../client/index.ts';
import { ToolError } from './desk.ts';

/** Returns a message by its id, in whatever mailbox it is. Throws a {@link ToolError} if there is none. */
export async function findMessage(client: Client, given: string, options: CallOptions): Promise<MessageDetailResponse> {
  const id = given.trim().toUpperCase();
  if (!/^[0-9A-Z]{26}$/.test(id)) throw noMessageError();
  const mailboxes = (await client.hasLocalApi())
    ? [(await orNull(client.local.getMessage(id, options)))?.mailboxId].filter((one) => one !== undefined)
    : (await client.listMailboxes(options)).map((one) => one.id);
  for (const mailboxId of mailboxes) {
    const message = await orNull(client.getMessage(mailboxId, id, options));
    if (message !== null) return message;
  }
  throw noMessageError();
}

/** Returns the error that a message does not exist. */
export function noMessageError(): ToolError {
  return new ToolError('No such message. message_id is 26 letters and digits, as list_messages gives them.');
}

async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'not_found') return null;
    throw error;
  }
}
