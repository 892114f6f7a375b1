import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMail } from '../../src/mail/parse.ts';

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
const REPORTS = join(import.meta.dirname, '../corpus/reports');

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

/** Reads the mails that were written after public bug reports, as far as their right code is known. */
export async function reportedMails(): Promise<Omit<CorpusMail, 'links'>[]> {
  const expected: readonly { readonly file: string; readonly code?: string | null }[] = JSON.parse(
    readFileSync(join(REPORTS, 'expected.json'), 'utf8'),
  );
  const found: Omit<CorpusMail, 'links'>[] = [];
  for (const { file, code } of expected) {
    if (code === undefined) continue;
    const { mail } = await parseMail(readFileSync(join(REPORTS, file)));
    const language = /-code-([a-z]{2})-/.exec(file)?.[1] ?? 'en';
    const { subject, textBody: text, htmlBody: html } = mail;
    found.push({ id: file, project: 'reports', language, subject: subject ?? '', text, html, code });
  }
  return found;
}
