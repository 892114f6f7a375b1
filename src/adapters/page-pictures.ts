import { PAGE_BOUNDS } from '../extract/page-weight.ts';
import type { PagePicture } from '../ports/parser.ts';
import type { PageTask } from './parse-task.ts';

/** The characters of a byte in base64. */
const BASE64 = 4 / 3;

/** Returns the size of the embedded pictures in bytes. */
export function sizeOf(pictures: readonly PagePicture[]): number {
  return pictures.reduce((sum, { shown }) => sum + (typeof shown === 'string' ? 0 : shown.sizeBytes), 0);
}

/**
 * Reads the pictures for a thread: copies of their bytes, which are moved to it. Pictures that a page has no room for are
 * not read.
 */
export async function readPictures(
  pictures: readonly PagePicture[],
): Promise<[shown: PageTask['pictures'], moved: ArrayBuffer[]]> {
  const all: PageTask['pictures'][number][] = [];
  const moved: ArrayBuffer[] = [];
  let room = PAGE_BOUNDS.pictures;
  for (const { contentId, shown } of pictures) {
    if (typeof shown === 'string') all.push([contentId, shown]);
    else if (shown.sizeBytes * BASE64 > room) all.push([contentId, null]);
    else {
      room -= shown.sizeBytes * BASE64;
      const { contentType, content } = await shown.read();
      const bytes = new Uint8Array(content);
      moved.push(bytes.buffer);
      all.push([contentId, { contentType, bytes }]);
    }
  }
  return [all, moved];
}
