import { type Limit, StructureReader } from './structure.ts';

/** The structure of a mail, found without parsing it. */
export interface Outline {
  /** The number of parts, including the mail itself. */
  readonly parts: number;
  /** The limit at which reading stopped. Null if it did not. */
  readonly limit: Limit | null;
  /** The numbers of the multiparts in which no own delimiter occurs. The mail itself is part 1. */
  readonly undivided: ReadonlySet<number>;
}

/** Reads the structure of a mail in memory. It never throws. */
export function outlineOf(raw: Buffer): Outline {
  const structure = new StructureReader(() => {});
  structure.write(raw);
  structure.end();
  return { parts: structure.parts, limit: structure.limit, undivided: structure.undivided };
}
