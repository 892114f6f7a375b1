import { LocalOnlyError, type Message } from '../../src/client/index.ts';
import { PAGE_BOUNDS } from '../../src/extract/page-weight.ts';
import { type Pictures, shownIn } from './message-page.ts';

/** A media type that is safe in a `data:` URL within quotes. */
const IMAGE = /^image\/[\w.+-]+$/i;

/**
 * Reads the images that the HTML of a message refers to by `cid:`, as far as they have room in `mostBytes`. Only a local
 * server returns their bytes.
 */
export async function picturesOf({ html, attachments }: Message, mostBytes = PAGE_BOUNDS.pictures): Promise<Pictures> {
  const images = shownIn(html ?? '', attachments).filter(({ contentType }) => IMAGE.test(contentType ?? ''));
  const pictures = new Map<string, string | null>();
  let room = mostBytes;
  // One after another, because a mail may have thousands.
  for (const image of images) {
    const { contentType, sizeBytes } = image;
    const contentId = image.contentId ?? '';
    // The first attachment wins if several share a content id.
    if (pictures.has(contentId)) continue;
    const base64Bytes = Math.ceil(sizeBytes / 3) * 4;
    const bytes = base64Bytes > room ? null : await unlessCloud(image.content());
    if (bytes === null && base64Bytes <= room) return new Map();
    if (bytes !== null) room -= base64Bytes;
    pictures.set(contentId, bytes && `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`);
  }
  return pictures;
}

/** Resolves with null if the server has no local API, which alone returns bytes. */
export async function unlessCloud<T>(bytes: Promise<T>): Promise<T | null> {
  try {
    return await bytes;
  } catch (error) {
    if (error instanceof LocalOnlyError) return null;
    throw error;
  }
}
