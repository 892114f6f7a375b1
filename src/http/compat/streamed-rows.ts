import { setImmediate } from 'node:timers/promises';
import { Download } from '../answer.ts';
import { rowPieces } from '../large-json.ts';

/**
 * Answers with an object whose field `name` lists the rows, or with the list alone if `name` is null. Whole mails are
 * rows, so they are read and written one at a time. `rest` returns the other fields once the number of rows is known.
 */
export function streamedRows(
  name: string | null,
  rows: AsyncIterable<object>,
  rest: (count: number) => object = () => ({}),
): Download {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new Download(headers, null, async function* () {
    let count = 0;
    yield Buffer.from(name === null ? '[' : `{${JSON.stringify(name)}:[`);
    for await (const row of rows) {
      let between = count++ === 0 ? '' : ',';
      for (const piece of rowPieces(row)) {
        yield Buffer.from(between + piece);
        between = '';
        await setImmediate();
      }
    }
    const fields = JSON.stringify(rest(count)).slice(1, -1);
    yield Buffer.from(name === null ? ']' : `]${fields === '' ? '' : ','}${fields}}`);
  });
}
