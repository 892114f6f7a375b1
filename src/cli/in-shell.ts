/** Quotes a text for a POSIX shell. A word that is one as it stands stays so, unless `always` is set. */
export function inShell(text: string, always = false): string {
  return !always && /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
