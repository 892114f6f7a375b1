/**
 * Breaks HTML into lines at its tags, so that two texts can be compared tag by tag. Every character but the white space
 * between tags stays.
 */
export function markupLines(html: string): string {
  return html
    .replace(/>\s*</g, '>\n<')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}
