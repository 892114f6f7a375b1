/** Quotes a text for a POSIX shell. It holds no NUL. */
export function quotedInShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for a POSIX shell, unless it is one word as it stands. */
export function inShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : quotedInShell(text);
}
