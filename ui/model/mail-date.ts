/** The date of a mail: its header field, and its time in milliseconds since 1970, null if the field is no date. */
export interface DateHeader {
  readonly text: string;
  readonly at: number | null;
}

/** Returns the date of a mail by its headers as JSON, or null if it has none. */
export function dateOf(headersJson: string | null): DateHeader | null {
  if (headersJson === null) return null;
  const headers: unknown = JSON.parse(headersJson);
  if (typeof headers !== 'object' || headers === null || !('date' in headers)) return null;
  const text = String(Array.isArray(headers.date) ? headers.date[0] : headers.date).trim();
  if (text === '') return null;
  // A comment such as (CET) is no part of the time (RFC 5322 3.3).
  const at = Date.parse(text.replace(/\([^()]*\)/g, ''));
  return { text, at: Number.isNaN(at) ? null : at };
}
