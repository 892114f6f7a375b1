import { CHARSET, encodingOf, outlineOf } from './parse.ts';
import { decodedTransfer } from './transfer-encoding.ts';

/** A text of a mail in the charset that its part names, with its transfer encoding decoded. */
export interface TextInCharset {
  readonly charset: string;
  readonly bytes: Buffer;
}

/**
 * Returns the text and the HTML of a mail in their own charsets. Null for one that has several parts or names no charset,
 * and for UTF-8.
 */
export function textsInCharsets(raw: Buffer): Readonly<Record<'text' | 'html', TextInCharset | null>> {
  const { leaves } = outlineOf(raw);
  const textOf = (role: 'text' | 'html') => {
    const [leaf, ...others] = leaves.filter((one) => one.role === role);
    const charset = leaf?.head.param('charset')?.trim() ?? '';
    if (leaf === undefined || others.length > 0 || !CHARSET.test(charset) || /^utf-?8$/i.test(charset)) return null;
    return { charset, bytes: decodedTransfer(leaf.body, encodingOf(leaf)) };
  };
  return { text: textOf('text'), html: textOf('html') };
}
