import type { WebhookRequestView } from '../../client/index.ts';
import { type Cut, cutToTokens, defused, defusedLine, fence } from '../../text/fence.ts';

const BODY_TOKENS = 200;
const MAX_HEADERS = 12;
/** The header fields that every HTTP client sends, and that tell an agent nothing. */
const DULL = /^(?:host|connection|content-length|accept|accept-encoding|accept-language|user-agent|sec-fetch-mode)$/i;

/** A captured request: method and form as data, everything else inside a fence. */
export interface RequestResult {
  readonly request_id: string;
  readonly method: string;
  readonly received_at: string;
  readonly content: string;
}

/** Describes a captured request for a language model. */
export function requestResult(request: WebhookRequestView, fenceId: string): RequestResult {
  const { id, method, receivedAt, path, query, bodyText } = request;
  const { text, leftOut }: Cut = cutToTokens(defused(bodyText ?? ''), BODY_TOKENS);
  const target = `${path ?? ''}${query ? `?${query}` : ''}`;
  const lines = [
    `Path: ${defusedLine(target || '/', 200)}`,
    ...headersOf(request),
    '',
    text === '' ? '(no text body)' : text,
    ...(leftOut === 0 ? [] : [`[${leftOut} more characters]`]),
  ];
  return {
    request_id: id,
    method: /^[A-Z]{1,10}$/.test(method ?? '') ? (method ?? '') : 'OTHER',
    received_at: receivedAt,
    content: fence(fenceId, lines),
  };
}

function headersOf({ headers }: WebhookRequestView): string[] {
  return Object.entries(headers ?? {})
    .filter(([name]) => !DULL.test(name))
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => `${defusedLine(name, 40)}: ${defusedLine(value, 120)}`);
}
