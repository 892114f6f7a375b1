import type { BlobRef } from '../../domain/message.ts';

/** A run of bytes in one segment. */
export interface Extent {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/** Writes the reference of a blob: its extents in order, each as `segment.offset.length`. */
export function writeRef(extents: readonly Extent[]): BlobRef {
  const ref = extents.map(({ segment, offset, length }) => `${segment}.${offset}.${length}`).join();
  // The cast is safe: only this function and the memory store create references.
  return ref as BlobRef;
}

/** Parses a reference. It is written for speed, because it runs twice per message when a store opens. */
export function readRef(ref: BlobRef): Extent[] {
  const extents: Extent[] = [];
  const numbers = [0, 0, 0];
  let field = 0;
  for (let i = 0; i <= ref.length; i++) {
    const code = ref.charCodeAt(i);
    if (code >= 48 && code <= 57) numbers[field] = (numbers[field] ?? 0) * 10 + code - 48;
    else if (code === 46) field++;
    else if (field === 2) {
      extents.push({ segment: numbers[0] ?? 0, offset: numbers[1] ?? 0, length: numbers[2] ?? 0 });
      field = 0;
      numbers.fill(0);
    }
  }
  return extents;
}

/** Combines segment and offset into one number. */
export function keyOf({ segment, offset }: Pick<Extent, 'segment' | 'offset'>): number {
  return segment * 2 ** 32 + offset;
}
