/** Quotes a text for a POSIX shell. The text must not contain NUL. */
export function quotedInShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for a POSIX shell, unless it is a single word that needs no quotes. */
export function inShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : quotedInShell(text);
}
