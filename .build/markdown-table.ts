/** A table in Markdown. A bar in a cell would end it, so it is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Text as code, nothing for nothing. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
