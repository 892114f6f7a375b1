/**
 * Breaks HTML into lines at its tags, so that two texts can be compared tag by tag. It changes only the white space
 * between tags.
 */
export function markupLines(html: string): string {
  return html
    .replace(/>\s*</g, '>\n<')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}
