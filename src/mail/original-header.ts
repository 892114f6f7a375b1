import { headerBlock, MAX_HEADER_BYTES, readFields } from './header-block.ts';
import { lastText } from './summary-headers.ts';

/** The header of the mail that a report concerns. */
export interface OriginalHeader {
  readonly block: Buffer;
  readonly messageId: string | null;
}

/** Reads the header of a mail and nothing after it. */
export async function readOriginalHeader(mail: AsyncIterable<Buffer>): Promise<OriginalHeader> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of mail) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > MAX_HEADER_BYTES) break;
  }
  const { block } = headerBlock(Buffer.concat(pieces));
  return { block, messageId: lastText(readFields(block, null).fields, 'message-id') };
}
