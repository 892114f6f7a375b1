import { type Limit, StructureReader } from './structure.ts';

/** What of a mail's structure is known before it is parsed. */
export interface Outline {
  /** Parts found, the mail itself included. */
  readonly parts: number;
  /** Where reading the structure stopped short, null when it did not. */
  readonly limit: Limit | null;
  /** The multiparts that no delimiter of their own divides, by their number: the mail itself is part 1. */
  readonly undivided: ReadonlySet<number>;
}

/** Reads the structure of a mail that is at hand. Never throws. */
export function outlineOf(raw: Buffer): Outline {
  const structure = new StructureReader(() => {});
  structure.write(raw);
  structure.end();
  return { parts: structure.parts, limit: structure.limit, undivided: structure.undivided };
}
