import type { Api } from '../connection/caller.ts';

/**
 * Returns the URL of a mailbox or a webhook in the web inbox, for a person who opens it in a browser; null where there is
 * no web inbox, as in the cloud. Errors contain it, so it never throws.
 */
export async function pageOf(
  api: Pick<Api, 'hasLocalApi' | 'server'>,
  part: 'mail' | 'webhooks',
  id: string,
): Promise<string | null> {
  try {
    return (await api.hasLocalApi()) ? `${(await api.server()).url}/#/${part}/${id}` : null;
  } catch {
    return null;
  }
}
