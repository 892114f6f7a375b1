import { RefusedError } from '../../client/errors.ts';
import type { Client, WebhookRequestView } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';

/** A captured request with all it held. */
export interface WholeRequest {
  readonly view: WebhookRequestView;
  /** In the order and the case they were sent, where the server tells; else lower-case, repeats joined. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Null where the API tells of text alone, and it is none. */
  readonly body: Uint8Array | null;
}

/** The bytes are those of the local API; the cloud's has text alone. */
export async function readRequest(client: Client, view: WebhookRequestView): Promise<WholeRequest> {
  if (await client.hasLocalApi()) {
    try {
      const { headers, hasBody } = await client.local.getWebhookRequest(view.id);
      return { view, headers, body: hasBody ? await client.local.getWebhookRequestBody(view.id) : new Uint8Array() };
    } catch (error) {
      // Without the admin token there is what the cloud tells.
      if (!(error instanceof RefusedError) || error.code !== 'unauthorized') throw error;
    }
  }
  const isEmpty = view.sizeBytes === 0;
  const body = view.bodyText === null ? (isEmpty ? new Uint8Array() : null) : Buffer.from(view.bodyText);
  return { view, headers: Object.entries(view.headers ?? {}), body };
}

/** Throws a {@link UserError} where the bytes are not to be had. */
export function bytesOf({ view, body }: WholeRequest): Uint8Array {
  if (body !== null) return body;
  throw new UserError(`the body of ${view.id} is no text, and this server tells of text alone.`);
}
