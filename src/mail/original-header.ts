import { headerBlock, MAX_HEADER_BYTES, readFields } from './header-block.ts';
import { lastText } from './summary-headers.ts';

/** The header of a mail that a report is about. */
export interface OriginalHeader {
  readonly block: Buffer;
  readonly messageId: string | null;
}

/** Reads no more of the mail than its header. */
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
