import type { Api } from '../connection/api.ts';
import type { MessageDetailResponse } from '../connection/resources.ts';
import { RefusedError } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';

/** Reads a message of any kind. The cloud API has emails alone, so a text message comes by the local API. */
export async function readAnyMessage(
  api: Pick<Api, 'getMessage' | 'hasLocalApi' | 'local'>,
  mailboxId: string,
  id: string,
  options: CallOptions = {},
): Promise<MessageDetailResponse & { readonly kind?: 'email' | 'sms' }> {
  try {
    return await api.getMessage(mailboxId, id, options);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'not_found' || !(await api.hasLocalApi())) throw error;
    const facts = await api.local.getMessageFacts(id, options).catch(() => null);
    if (facts?.kind !== 'sms' || facts.mailboxId !== mailboxId) throw error;
    return api.local.getMessageContent(id, options);
  }
}
