import { isHeaderless } from './header-block.ts';
import type { PartHead } from './part.ts';
import { type Limit, type Part, StructureReader } from './structure.ts';

/** A part that holds content, and no other parts. */
export interface Leaf {
  readonly head: PartHead;
  readonly role: 'text' | 'html' | 'attachment';
  /** The body, still encoded. It is a view of the mail. */
  readonly body: Buffer;
  /** Tells whether it is in a multipart/related, at any depth. */
  readonly isRelated: boolean;
  /** Tells whether it is a multipart in which no boundary occurs. Its content is text. */
  readonly isUndivided: boolean;
}

/** The structure of a mail, found without decoding it. */
export interface Outline {
  /** The number of parts, including the mail itself. */
  readonly parts: number;
  /** The limit at which reading stopped. Null if it did not. */
  readonly limit: Limit | null;
  /** The parts that hold content, in their order. */
  readonly leaves: readonly Leaf[];
}

/** Reads the structure of a mail in memory. It never throws. */
export function outlineOf(raw: Buffer): Outline {
  const parts: Part[] = [];
  const structure = new StructureReader({ onPart: (part) => parts.push(part) });
  structure.write(raw);
  structure.end();
  return { parts: structure.parts, limit: structure.limit, leaves: parts.flatMap((part) => leafOf(raw, part)) };
}

function leafOf(raw: Buffer, part: Part): Leaf[] {
  const { head, parent } = part;
  if (head === null || part.isDivided) return [];
  const isUndivided = head.role === 'multipart';
  const body = bodyOf(raw, part);
  return [
    { head, role: head.role === 'multipart' ? 'text' : head.role, body, isRelated: isRelated(parent), isUndivided },
  ];
}

function bodyOf(raw: Buffer, { from, to, isEnded, parent }: Part): Buffer {
  const body = raw.subarray(parent === null && isHeaderless(raw) ? 0 : from, Math.min(to, raw.length));
  if (!isEnded || body.at(-1) !== LF) return body;
  return body.subarray(0, body.at(-2) === CR ? -2 : -1);
}

function isRelated(parent: Part | null): boolean {
  for (let part = parent; part !== null; part = part.parent) {
    if (part.head?.type === 'multipart/related') return true;
  }
  return false;
}

const LF = 0x0a;
const CR = 0x0d;
