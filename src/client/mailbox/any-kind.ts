import type { Api } from '../connection/caller.ts';
import type { WholeMessage } from '../connection/local-resources.ts';
import type { MessageDetailResponse, MessageSummaryResponse } from '../connection/resources.ts';
import { isRefusedAs } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';

// Messages of any kind. The cloud API has emails alone, so text messages come by the local API, which tells the kind.

interface OfAnyKind {
  readonly kind?: 'email' | 'sms';
}

/** A message of a list, of any kind. */
export type AnySummary = MessageSummaryResponse & OfAnyKind;
/** A message with its bodies, of any kind. */
export type AnyMessage = MessageDetailResponse & OfAnyKind;
/** A message with its bodies, and with the codes and links that the server found if it tells them. */
export type ReadMessage = AnyMessage & Partial<ToldByServer>;

/** The codes and links of a message, the likeliest codes first. */
export interface ToldByServer {
  readonly codes: readonly Pick<WholeMessage['codes'][number], 'code' | 'ambiguous'>[];
  readonly links: readonly Pick<WholeMessage['links'][number], 'url' | 'kind' | 'rank'>[];
}

/** Reads a page of a mailbox, newest first. */
export async function mailboxPage(
  api: Pick<Api, 'listMessages' | 'hasLocalApi' | 'local'>,
  mailboxId: string,
  page: { readonly limit: number; readonly before?: string | undefined },
  options: CallOptions,
): Promise<readonly AnySummary[]> {
  if (!(await api.hasLocalApi())) return api.listMessages(mailboxId, page, options);
  try {
    return (await api.local.searchMessages(mailboxId, { ...page, total: false }, options)).items;
  } catch (error) {
    // A caller may have a key, and no token of the local API.
    if (isRefusedAs(error, 'unauthorized')) return api.listMessages(mailboxId, page, options);
    throw error;
  }
}

/** Reads a message. */
export async function readAnyMessage(
  api: Pick<Api, 'getMessage' | 'hasLocalApi' | 'local'>,
  mailboxId: string,
  id: string,
  options: CallOptions = {},
): Promise<AnyMessage> {
  try {
    return await api.getMessage(mailboxId, id, options);
  } catch (error) {
    if (!isRefusedAs(error, 'not_found') || !(await api.hasLocalApi())) throw error;
    const facts = await api.local.getMessageFacts(id, options).catch(() => null);
    if (facts?.kind !== 'sms' || facts.mailboxId !== mailboxId) throw error;
    return api.local.getMessageContent(id, options);
  }
}

/** The most ids that the server takes in one request for previews. */
const AT_ONCE = 100;

/**
 * Returns the first words of the text messages among these messages, by their ids. A text message has no subject, so its
 * words name it.
 */
export async function wordsOfTexts(
  local: Pick<Api['local'], 'getMessagePreviews'>,
  messages: readonly { readonly id: string; readonly kind?: string | undefined }[],
  options: CallOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const ids = messages.filter(({ kind }) => kind === 'sms').map(({ id }) => id);
  const words = new Map<string, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const previews = await local.getMessagePreviews({ ids: ids.slice(at, at + AT_ONCE) }, options);
    for (const { id, snippet } of previews) words.set(id, snippet);
  }
  return words;
}
