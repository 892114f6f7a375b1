import type { LocalApi } from '../connection/local-api.ts';
import type { AttachmentResponse } from '../connection/resources.ts';
import { filledText, oneOf } from '../options/check-options.ts';
import { located } from '../waiting/call-site.ts';
import { saveAs, saveInto } from './save-file.ts';

/**
 * A file of a message. Only a local server returns its bytes; with any other server each call throws a LocalOnlyError.
 */
export interface Attachment extends AttachmentResponse {
  /**
   * Returns the decoded bytes of the file.
   *
   * @example const pdf = await attachment.content();
   */
  content(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Writes the file and returns its path. A path with a slash at its end is a directory. There the file gets a safe form
   * of its own name, and a number if the name is taken. Any other path is a file, which it replaces. It follows no link
   * to a file, and creates missing directories. It works in Node, Deno and Bun only.
   *
   * @example const path = await attachment.saveTo('downloads/');
   */
  saveTo(path: string): Promise<string>;
  /**
   * Returns the hash of the bytes in lower-case hex. The algorithm is SHA-256 if left out.
   *
   * @example expect(await attachment.checksum()).toBe(sha256(invoice));
   */
  checksum(algorithm?: 'SHA-1' | 'SHA-256' | 'SHA-512'): Promise<string>;
}

export function createAttachment(
  facts: AttachmentResponse,
  messageId: string,
  local: Pick<LocalApi, 'getAttachment'>,
): Attachment {
  const content = () => local.getAttachment(messageId, facts.id);
  return {
    ...facts,
    content: located(content),
    saveTo: located(async (path: string) => {
      filledText('The path', path);
      return save(path, facts.filename ?? facts.id, content);
    }),
    checksum: located(async (algorithm: 'SHA-1' | 'SHA-256' | 'SHA-512' = 'SHA-256') => {
      oneOf('SHA-1', 'SHA-256', 'SHA-512')('The algorithm', algorithm);
      const hash = new Uint8Array(await crypto.subtle.digest(algorithm, await content()));
      return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }),
  };
}

async function save(path: string, filename: string, content: () => Promise<Uint8Array>): Promise<string> {
  if (!/[\\/]$/.test(path)) {
    await saveAs(path, await content());
    return path;
  }
  return saveInto(path, filename, await content());
}
