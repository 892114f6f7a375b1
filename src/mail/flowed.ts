const QUOTES = /^>*/;
const SIGNATURE = '-- ';

/**
 * Joins the lines of a flowed text to its paragraphs (RFC 3676 4). A line that ends with a space goes on in the next one,
 * if both are quoted equally deep. An empty line always ends a paragraph. `delSp` deletes that last space. Empty lines
 * at the end are left out.
 */
export function unflow(text: string, delSp: boolean): string {
  const paragraphs: string[] = [];
  let pieces: string[] = [];
  let depth = 0;
  const end = () => {
    if (pieces.length > 0) paragraphs.push(`${depth > 0 ? `${'>'.repeat(depth)} ` : ''}${pieces.join('')}`);
    pieces = [];
  };
  for (const line of text.split('\n')) {
    const quotes = QUOTES.exec(line)?.[0].length ?? 0;
    const stuffed = line.slice(quotes);
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    if (quotes !== depth || content === '' || content === SIGNATURE) end();
    depth = quotes;
    pieces.push(isFlowed && delSp ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  while (paragraphs.at(-1) === '') paragraphs.pop();
  return paragraphs.join('\n');
}
