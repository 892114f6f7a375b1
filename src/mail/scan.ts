import { type Limit, StructureReader } from './structure.ts';
import { summaryTexts } from './summary-headers.ts';

/** What a mail tells without being parsed: all a summary needs. */
export interface Scan {
  readonly sizeBytes: number;
  readonly attachmentCount: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly cc: string | null;
  readonly subject: string | null;
  /** Parts found, the mail itself included. */
  readonly parts: number;
  /** Where reading the structure stopped short, null when it did not. */
  readonly limit: Limit | null;
}

export interface Scanner {
  /** The chunk is not kept. */
  write(chunk: Buffer): void;
  finish(): Scan;
}

/** Reads a mail as it passes, in one pass and in bounded memory, however it is cut into chunks. Never throws. */
export function createScanner(): Scanner {
  let sizeBytes = 0;
  let texts: Pick<Scan, 'from' | 'to' | 'cc' | 'subject'> = { from: null, to: null, cc: null, subject: null };
  const structure = new StructureReader((fields) => {
    texts = summaryTexts(fields);
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

/** The scan of a mail that is at hand. */
export function scanMail(raw: Buffer): Scan {
  const scanner = createScanner();
  scanner.write(raw);
  return scanner.finish();
}
