import { Readable } from 'node:stream';
import { Download } from '../answer.ts';

/** Answers with a short text, as some of these servers confirm what they did. */
export function plainText(text: string): Download {
  const bytes = Buffer.from(text);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new Download(headers, bytes.length, () => Readable.from([bytes]));
}

/** Answers 200 without content. */
export function nothing(): Download {
  return new Download({}, 0, () => Readable.from([]));
}
