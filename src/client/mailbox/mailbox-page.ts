import type { Client } from '../client.ts';
import type { MessageSummaryResponse } from '../connection/resources.ts';
import { RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';

/** A message of a list. A server with a local API tells its kind. */
export type PageMessage = MessageSummaryResponse & { readonly kind?: 'email' | 'sms' };

/** Reads a page of a mailbox, newest first. A server with a local API lists text messages too. */
export async function mailboxPage(
  client: Client,
  mailboxId: string,
  page: { readonly limit: number; readonly before?: string | undefined },
  options: CallOptions,
): Promise<readonly PageMessage[]> {
  if (!(await client.hasLocalApi())) return client.listMessages(mailboxId, page, options);
  try {
    return (await client.local.searchMessages(mailboxId, { ...page, total: false }, options)).items;
  } catch (error) {
    // A caller may have a key, and no token of the local API.
    if (error instanceof RefusedError && error.code === 'unauthorized')
      return client.listMessages(mailboxId, page, options);
    throw error;
  }
}
