/** Quotes a text for a POSIX shell. The text must not contain NUL. */
export function quotedInShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a text for a POSIX shell, unless it is a single word that needs no quotes. */
export function inShell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : quotedInShell(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Quotes a text from outside as one word that a person pastes into bash or zsh. Control characters become escapes in
 * `$'...'`, because a raw one could end the paste and run the rest as commands. A text whose only control characters are
 * ends of lines keeps them.
 */
export function pastedInShell(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (text.replaceAll('\n', '').search(CONTROL) < 0) return quotedInShell(text);
  const escaped = text.replace(/[\\']/g, '\\$&').replace(CONTROL, (sign) => {
    if (sign === '\n') return '\\n';
    return [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped}'`;
}
