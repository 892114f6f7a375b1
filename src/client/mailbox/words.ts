import type { Api } from '../connection/api.ts';
import type { CallOptions } from '../transport/transport.ts';

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
