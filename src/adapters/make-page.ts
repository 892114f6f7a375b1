import { mailPage } from '../extract/mail-page.ts';
import type { PageTask } from './parse-message.ts';

/** Makes a page in the form in which it is sent between threads. */
export function makePage({ bodies, allowed, pictures, look }: PageTask) {
  const urls = pictures.map(([contentId, shown]) => {
    if (shown === null || typeof shown === 'string') return [contentId, shown] as const;
    const { buffer, byteOffset, byteLength } = shown.bytes;
    const base64 = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    return [contentId, `data:${shown.contentType};base64,${base64}`] as const;
  });
  const page = mailPage(bodies, { allowed, pictures: new Map(urls), look });
  return { ...page, html: new TextEncoder().encode(page.html) };
}
