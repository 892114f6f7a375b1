import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mail of test/corpus/rendered with its right values, which were written before any finder read it. */
export interface CorpusMail {
  readonly id: string;
  /** The project that the mail comes from: the name of its file. */
  readonly project: string;
  readonly language: string;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** The code as it is entered. Null if the mail has none. */
  readonly code: string | null;
  readonly links: readonly { readonly url: string; readonly kind: string; readonly main: boolean }[];
}

const FOLDER = join(import.meta.dirname, '../corpus/rendered');

/** Reads the mails of all projects. */
export function corpusMails(): readonly CorpusMail[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) =>
      readFileSync(join(FOLDER, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => ({ text: null, html: null, ...JSON.parse(line), project: name.replace('.jsonl', '') })),
    );
}
