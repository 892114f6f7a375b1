/** Cuts a text after `length` characters and marks the cut with an ellipsis. It splits no surrogate pair. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHalf ? length - 1 : length)}…`;
}
