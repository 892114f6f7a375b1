import { RefusedError } from '../../client/errors.ts';
import type { Client, WebhookRequestView } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';

/** A captured request with all headers and its body. */
export interface WholeRequest {
  readonly view: WebhookRequestView;
  /** The headers in their order and case, if the server returns them; else with lower-case names and joined repeats. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body; null if the API returns only text and the body is binary. */
  readonly body: Uint8Array | null;
}

/** Reads a captured request. Only the local API returns the exact bytes; the cloud API returns text. */
export async function readRequest(client: Client, view: WebhookRequestView): Promise<WholeRequest> {
  if (await client.hasLocalApi()) {
    try {
      const { headers, hasBody } = await client.local.getWebhookRequest(view.id);
      return { view, headers, body: hasBody ? await client.local.getWebhookRequestBody(view.id) : new Uint8Array() };
    } catch (error) {
      // Without the admin token only the data of the cloud API can be read.
      if (!(error instanceof RefusedError) || error.code !== 'unauthorized') throw error;
    }
  }
  const isEmpty = view.sizeBytes === 0;
  const body = view.bodyText === null ? (isEmpty ? new Uint8Array() : null) : Buffer.from(view.bodyText);
  return { view, headers: Object.entries(view.headers ?? {}), body };
}

/** Returns the bytes of the body. Throws a {@link UserError} if they are not available. */
export function requestBytes({ view, body }: WholeRequest): Uint8Array {
  if (body !== null) return body;
  throw new UserError(`the body of ${view.id} is binary, and this server returns only text.`);
}
