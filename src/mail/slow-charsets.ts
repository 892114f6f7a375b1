import type { Transform } from 'node:stream';
import { withoutControls } from './header-text.ts';
import { libmime } from './libmime.ts';

// Of 80 charsets most take 10 to 30 ms for a megabyte, whatever it holds. Those of shift sequences take up to a second,
// which makes many seconds of one mail that is all shifts.

/** So much text in such charsets is read of one mail, all its parts together: more than any mail that is no attack has. */
export const MAX_SLOW_BYTES = 1024 * 1024;

const SLOW = /^(?:utf-?7|unicode-?1-?1-?utf-?7|jis|iso-?2022)/i;

/** MailParser's: the decoder of a charset, as a stream. */
export interface Decoders {
  decodeStream(charset: string): Transform;
}

/** Lets the slow decoders read no more than {@link MAX_SLOW_BYTES}; `unread` says it then. */
export function capSlowCharsets(decoders: Decoders): { readonly unread: string | null } {
  const told: { unread: string | null } = { unread: null };
  let left = MAX_SLOW_BYTES;
  const create = decoders.decodeStream.bind(decoders);
  decoders.decodeStream = (charset) => {
    const stream = create(charset);
    if (!SLOW.test(libmime().normalizeCharset(charset))) return stream;
    const transform = stream._transform.bind(stream);
    stream._transform = (chunk: Buffer, encoding, done) => {
      const fits = chunk.subarray(0, left);
      left -= fits.length;
      if (fits.length < chunk.length) told.unread ??= whyUnread(charset);
      if (fits.length > 0) transform(fits, encoding, done);
      else done();
    };
    return stream;
  };
  return told;
}

function whyUnread(charset: string): string {
  const name = withoutControls(charset).slice(0, 40);
  return `Text in ${name} takes long to decode: no more than ${MAX_SLOW_BYTES / 1024} KiB of it was read.`;
}
