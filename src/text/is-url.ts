/**
 * Tells whether `new URL` takes a text. `URL.canParse` is no help: once Node.js 20 or 22 has optimized it, after some
 * thousand calls, it takes no URL any more that has a letter such as ü.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}
