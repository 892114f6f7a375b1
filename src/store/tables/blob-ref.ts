import type { BlobRef } from '../../domain/message.ts';

// A blob reference, as the stores write it: `segment.offset.length`, several of them separated by commas.

/** A run of bytes in one segment. */
export interface Extent {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/** Writes the reference of a blob: its extents in order, each as `segment.offset.length`. */
export function writeRef(extents: readonly Extent[]): BlobRef {
  const [first] = extents;
  const ref = extents.length === 1 && first !== undefined ? textOf(first) : extents.map(textOf).join();
  // The cast is safe: only this function and the memory store create references.
  return ref as BlobRef;
}

function textOf({ segment, offset, length }: Extent): string {
  return `${segment}.${offset}.${length}`;
}

export function readRef(ref: BlobRef): Extent[] {
  const extents: Extent[] = [];
  eachExtent(ref, (segment, offset, length) => extents.push({ segment, offset, length }));
  return extents;
}

/**
 * Calls `tell` for each extent of a reference. It creates no objects, because it runs several times for each message
 * that arrives, and twice for each stored message when a store opens.
 */
export function eachExtent(ref: BlobRef, tell: (segment: number, offset: number, length: number) => void): void {
  let segment = 0;
  let offset = 0;
  let number = 0;
  let field = 0;
  for (let i = 0; i <= ref.length; i++) {
    const code = i < ref.length ? ref.charCodeAt(i) : COMMA;
    if (code >= ZERO && code <= NINE) {
      number = number * 10 + code - ZERO;
    } else if (code === DOT) {
      if (field++ === 0) segment = number;
      else offset = number;
      number = 0;
    } else {
      if (field === 2) tell(segment, offset, number);
      field = 0;
      number = 0;
    }
  }
}

const ZERO = 48;
const NINE = 57;
const DOT = 46;
const COMMA = 44;

/** Combines segment and offset into one number. */
export function extentKey({ segment, offset }: Pick<Extent, 'segment' | 'offset'>): number {
  return segment * 2 ** 32 + offset;
}
