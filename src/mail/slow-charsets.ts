import type { Transform } from 'node:stream';
import { withoutControls } from './header-text.ts';
import { libmime } from './libmime.ts';

// Most of 80 charsets decode a megabyte in 10 to 30 ms. Those with shift sequences take up to a second, so a mail full
// of shifts would take many seconds.

/** The number of bytes in such charsets that are read of one mail, over all parts. Only an attack has more. */
export const MAX_SLOW_BYTES = 1024 * 1024;

const SLOW = /^(?:jis|iso-?2022)/i;

/** The part of MailParser that creates the decoder stream of a charset. */
export interface Decoders {
  decodeStream(charset: string): Transform;
}

/** Limits the slow decoders to {@link MAX_SLOW_BYTES}. `unread` then holds the reason. */
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
