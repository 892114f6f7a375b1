/** Returns a Markdown table. A vertical bar in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Formats a text as code; an empty text stays empty. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
