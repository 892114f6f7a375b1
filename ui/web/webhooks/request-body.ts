import { indentedJson } from '../../../src/text/indented-json.ts';
import type { RequestFacts } from '../app/api.ts';

/** A captured request and its body. */
export interface LoadedRequest {
  readonly request: RequestFacts;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Decodes bytes as text, or returns null if they are binary. */
export function textOrNull(body: Uint8Array): string | null {
  if (body.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/** A formatted body and the format that was recognized. */
export interface Pretty {
  readonly as: 'json' | 'form' | 'text';
  readonly text: string;
}

/**
 * Formats a body by its content type: JSON is indented, and a form gets one line a field. Any other body stays as it
 * is.
 */
export function prettyBody(body: string, contentType: string | null): Pretty {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    const fields = [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`);
    return { as: 'form', text: fields.join('\n') };
  }
  const looksLikeJson = /[/+]json$/.test(type) || /^\s*[[{]/.test(body);
  const indented = looksLikeJson ? indentedJson(body) : null;
  // A body that looks like JSON but is none is shown as it was received.
  return indented === null ? { as: 'text', text: body } : { as: 'json', text: indented };
}

/** A token of a JSON text and its kind, for syntax colours. */
export interface JsonToken {
  readonly is: 'name' | 'text' | 'number' | 'word' | 'sign';
  readonly text: string;
}

/** Splits a JSON text, or its start, into tokens. Together they contain every character in order. */
export function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  const pattern =
    /("(?:\\.?|[^"\\])*(?:"|$))(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([^"\d\-tfn]+|.)/gs;
  for (const [whole, string, colon, number, word] of text.matchAll(pattern)) {
    if (string !== undefined && colon !== undefined) {
      tokens.push({ is: 'name', text: string }, { is: 'sign', text: colon });
    } else if (string !== undefined) tokens.push({ is: 'text', text: string });
    else if (number !== undefined) tokens.push({ is: 'number', text: number });
    else if (word !== undefined) tokens.push({ is: 'word', text: word });
    else tokens.push({ is: 'sign', text: whole });
  }
  return tokens;
}

/** One row of a hex dump: the offset, the bytes in hexadecimal, and the same bytes as ASCII. */
export interface HexRow {
  readonly offset: string;
  readonly hex: string;
  readonly text: string;
}

const A_ROW = 16;

/** Formats bytes as a hex dump with sixteen bytes a row and at most `maxRows` rows. */
export function hexRows(bytes: Uint8Array, maxRows: number): readonly HexRow[] {
  const rows: HexRow[] = [];
  for (let at = 0; at < bytes.length && rows.length < maxRows; at += A_ROW) {
    const piece = [...bytes.subarray(at, at + A_ROW)];
    rows.push({
      offset: at.toString(16).padStart(8, '0'),
      hex: piece.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      text: piece.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(''),
    });
  }
  return rows;
}

/** Returns a content type without its parameters, which nobody reads beside a body. Null if there is none. */
export function bareTypeOf(contentType: string | null): string | null {
  return contentType?.split(';', 1)[0]?.trim() || null;
}
