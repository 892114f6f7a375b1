import { summaryTexts } from './header-text.ts';
import { type Limit, StructureReader } from './structure.ts';

/** The facts that a summary needs, found without parsing the mail. */
export interface Scan {
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
  /** The number of parts, including the mail itself. */
  readonly parts: number;
  /** The limit at which reading stopped. Null if it did not. */
  readonly limit: Limit | null;
}

export interface MailScanner {
  /** Reads a chunk and keeps no reference to it. */
  write(chunk: Buffer): void;
  finish(): Scan;
}

/**
 * Creates a scanner that reads a mail in one pass and in bounded memory, however it is split into chunks. It never
 * throws.
 */
export function createMailScanner(): MailScanner {
  let sizeBytes = 0;
  let texts: Pick<Scan, 'from' | 'to' | 'cc' | 'subject'> = { from: null, to: null, cc: null, subject: null };
  const structure = new StructureReader({
    onRoot: (fields) => {
      texts = summaryTexts(fields);
    },
  });
  return {
    write(chunk) {
      sizeBytes += chunk.length;
      structure.write(chunk);
    },
    finish() {
      structure.end();
      return {
        sizeBytes,
        attachmentCount: structure.attachments,
        ...texts,
        parts: structure.parts,
        limit: structure.limit,
      };
    },
  };
}

/** Scans a mail in memory. */
export function scanMail(raw: Buffer): Scan {
  const scanner = createMailScanner();
  scanner.write(raw);
  return scanner.finish();
}
