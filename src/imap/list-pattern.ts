/** Tells whether a pattern of LIST names INBOX: `%` and `*` stand for any characters, for there is no hierarchy. */
export function matchesInbox(pattern: string): boolean {
  const parts = pattern.toUpperCase().split(/[%*]+/);
  if (parts.length === 1) return parts[0] === 'INBOX';
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!'INBOX'.startsWith(first) || !'INBOX'.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = 'INBOX'.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= 'INBOX'.length;
}
