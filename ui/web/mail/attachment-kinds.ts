/** The kinds of previews of an attachment. */
export type PreviewKind = 'picture' | 'pdf' | 'table' | 'json' | 'calendar' | 'text';

/** Types that a browser shows as a picture without any risk. Even an SVG in an `img` element runs no script. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon)$/;

/** Types that people read as text. The reports of a bounce say which recipient was refused, and why. */
const TEXTS =
  /^(?:text\/(?:plain|markdown|rfc822-headers)|message\/(?:delivery-status|disposition-notification|feedback-report))$/;

/** Returns what an attachment can be shown as, by its type or else by the end of its name. Null if it is only saved. */
export function previewKind(contentType: string, filename: string): PreviewKind | null {
  const type = contentType.toLowerCase().split(';')[0]?.trim() ?? '';
  const name = filename.toLowerCase();
  if (PICTURES.test(type)) return 'picture';
  const isVague = type === '' || type === 'application/octet-stream';
  if (type === 'application/pdf' || (isVague && name.endsWith('.pdf'))) return 'pdf';
  if (type === 'text/csv' || name.endsWith('.csv')) return 'table';
  if (/[/+]json$/.test(type) || (isVague && name.endsWith('.json'))) return 'json';
  if (type === 'text/calendar' || type === 'application/ics' || name.endsWith('.ics')) return 'calendar';
  return TEXTS.test(type) || (isVague && /\.(txt|log|md)$/.test(name)) ? 'text' : null;
}

/** Reads the rows of a CSV text (RFC 4180). The separator is the comma, the semicolon or the tab of its first line. */
export function csvRows(text: string): string[][] {
  const body = text.replace(/^\ufeff/, '');
  const separator = separatorOf(body.slice(0, body.search(/[\r\n]|$/)));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < body.length; at++) {
    const sign = body.charAt(at);
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (body.charAt(at + 1) === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && body.charAt(at + 1) === '\n') at++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += sign;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

function separatorOf(line: string): string {
  const counts = [',', ';', '\t'].map((sign) => [sign, line.split(sign).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
