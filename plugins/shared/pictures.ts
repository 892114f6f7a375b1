import { LocalOnlyError, type Message } from '../../src/client/index.ts';
import { type Pictures, shownIn } from './message-page.ts';

/** A media type that is safe in a `data:` URL within quotes. */
const IMAGE = /^image\/[\w.+-]+$/i;

/** Reads the images that the HTML of a message refers to by `cid:`. Only a local server returns their bytes. */
export async function picturesOf({ html, attachments }: Message): Promise<Pictures> {
  const images = shownIn(html ?? '', attachments).filter(({ contentType }) => IMAGE.test(contentType ?? ''));
  const found = await Promise.all(
    images.map(async ({ contentId, contentType, content }) => {
      const bytes = await unlessCloud(content());
      const base64 = bytes && Buffer.from(bytes).toString('base64');
      return base64 === null ? [] : [[contentId ?? '', `data:${contentType};base64,${base64}`] as const];
    }),
  );
  return new Map(found.flat());
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
