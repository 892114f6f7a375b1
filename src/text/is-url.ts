/**
 * Tells whether `new URL` accepts a text. It does not use `URL.canParse`, because Node.js 20 and 22 have a bug: after
 * some thousand calls, the optimized function refuses every URL with a letter such as ü.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}
