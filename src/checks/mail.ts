import type { Authentication } from '../mail/authenticate.ts';
import type { MailPlace } from './finding.ts';
import type { Lines } from './lines.ts';

/** A mail as the checks see it. */
export interface CheckedMail {
  readonly subject: string | null;
  /** The decoded bodies. */
  readonly text: string | null;
  readonly html: string | null;
  readonly fields: readonly HeaderField[];
  readonly source: RawFacts;
  readonly authentication: Authentication;
}

/** A header field of the mail. */
export interface HeaderField {
  /** The name in lower case. */
  readonly name: string;
  /** The unfolded value; bytes beyond ASCII are Latin-1. */
  readonly value: string;
  /** The range of the field in the bytes of the raw message. */
  readonly start: number;
  readonly end: number;
}

/** The facts of the raw bytes. Ranges count bytes of the raw message. */
export interface RawFacts {
  readonly sizeBytes: number;
  readonly longLines: readonly SourceRange[];
  /** The first bytes beyond ASCII of each header field or part that does not declare them. */
  readonly eightBit: readonly SourceRange[];
  readonly lines: Lines;
}

export interface SourceRange {
  readonly start: number;
  readonly end: number;
  /** The number of places that this range represents. */
  readonly count: number;
}

export function fieldNamed(mail: CheckedMail, name: string): HeaderField | null {
  return mail.fields.find((field) => field.name === name) ?? null;
}

/** Returns the place of a header field. */
export function placeOfField(mail: CheckedMail, { start, end, name }: HeaderField): MailPlace {
  return mail.source.lines.at(start, end, name);
}
