import { isUtf8 } from 'node:buffer';
import { headerBlock, readFields } from '../../mail/header-block.ts';

/**
 * Lists the header fields of a mail as Go writes them: `Message-Id`, with every value still encoded, on one line. The
 * object has no prototype, because a sender chooses the names.
 */
export function headerFields(raw: Buffer): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const { name, value } of readFields(headerBlock(raw).block, null).fields) {
    const text = (isUtf8(value) ? value.toString() : value.toString('latin1')).replace(/\r?\n[ \t]*/g, ' ').trim();
    const key = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    const values = fields[key];
    if (values === undefined) fields[key] = [text];
    else values.push(text);
  }
  return fields;
}
