import { isUtf8 } from 'node:buffer';
import { onRefusal } from '../../client/errors.ts';
import type { Client, WebhookRequestSummary, WebhookRequestView } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { FORWARDS, saidForward } from '../../text/forwards.ts';
import { harmlessLine, harmlessText } from '../../text/harmless.ts';
import { outputStyles, print, writeMoment, writeSize } from '../output.ts';

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
    // Without the admin token only the data of the cloud API can be read.
    const sent = await client.local.getRequestAsSent(view.id).catch(onRefusal('unauthorized', null));
    if (sent !== null)
      return {
        view,
        headers: sent.headers,
        body: sent.hasBody ? await client.local.getRequestBody(view.id) : new Uint8Array(),
      };
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

const UTF_8 = new TextDecoder('utf-8');

/** Prints a captured request for a person: its line, headers and body. Control characters in it are made harmless. */
export function printRequest(request: WholeRequest): void {
  const { bold, dim } = outputStyles();
  const { view, headers } = request;
  const { id, method, path, query, receivedAt, sourceIp, responseStatus, forwardError, forwardResponse } = view;
  const forward = forwarded(view);
  const facts = [
    id,
    writeMoment(receivedAt),
    ...(sourceIp === null ? [] : [`from ${sourceIp}`]),
    `answered ${responseStatus}`,
    ...(forward === '' ? [] : [`forward ${forward}`]),
  ];
  print(
    bold(
      `${harmlessLine(method ?? '', 20)} ${harmlessLine(`${path ?? ''}${query === null ? '' : `?${query}`}`, 2_000)}`,
    ),
  );
  print(dim(facts.join(', ')));
  if (forwardError !== null) print(`The forward failed: ${harmlessLine(forwardError, 500)}`);
  print('');
  for (const [name, value] of headers) print(`${dim(`${harmlessLine(name, 200)}:`)} ${harmlessLine(value, 2_000)}`);
  const body = shownBody(request);
  if (body !== '') print(`\n${body}`);
  if (forwardResponse) print(`\n${dim('The target answered:')}\n${harmlessText(forwardResponse).trimEnd()}`);
}

/** Returns the body as text, or the size of a binary body; empty if there is none. */
export function shownBody({ view, body }: WholeRequest): string {
  if (view.sizeBytes === 0) return '';
  if (body === null || !isText(body)) return `(${writeSize(view.sizeBytes)} of binary data)`;
  return bodyText(body).trimEnd();
}

/** Returns bytes as text without harmful control characters, or the size of binary data. */
export function bodyText(body: Uint8Array): string {
  return isText(body) ? harmlessText(UTF_8.decode(body)) : `(${writeSize(body.length)} of binary data)`;
}

function isText(body: Uint8Array): boolean {
  return isUtf8(body) && !body.includes(0);
}

/** Formats the result of a forward: `delivered 200`; empty if the request was not forwarded. */
export function forwarded({ forwardStatus, forwardHttpStatus }: WebhookRequestSummary): string {
  return saidForward(FORWARDS[forwardStatus] ?? 'none', forwardHttpStatus);
}
