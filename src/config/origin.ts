import { isUrl } from '../text/is-url.ts';

/** Returns the origin of an http or https URL that has nothing else. Returns null for any other text. */
export function originOf(text: string): string | null {
  const url = isUrl(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return `${url.pathname}${url.search}${url.hash}${url.username}` === '/' ? url.origin : null;
}
