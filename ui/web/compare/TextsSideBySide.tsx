import { useMemo, useRef, useState } from 'react';
import { harmlessText } from '../../../src/text/harmless.ts';
import { saidCount, saidSize } from '../../../src/text/said.ts';
import { Button } from '../parts/controls.tsx';
import { useCommands } from '../use-loaded.ts';
import { lineDiff } from './line-diff.ts';
import { changedPart, type DiffStretch, type Pair, sideBySide, stretches } from './side-by-side.ts';

/** The number of characters of a text that are compared, and the number of lines that are shown at first. */
const MOST = 400_000;
const DRAWN = 1_500;

/** Shows two texts side by side, with the words that differ marked and long equal runs left out. */
export function TextsSideBySide({ left, right }: { readonly left: string; readonly right: string }) {
  const found = useMemo(
    () => stretches(sideBySide(lineDiff(harmlessText(left.slice(0, MOST)), harmlessText(right.slice(0, MOST))))),
    [left, right],
  );
  const [drawn, setDrawn] = useState(DRAWN);
  const [said, setSaid] = useState('');
  const table = useRef<HTMLTableElement>(null);
  const at = useRef(-1);
  const lines = found.reduce((sum, { pairs }) => sum + pairs.length, 0);
  const differing = found.reduce((sum, { pairs }) => sum + pairs.filter(({ same }) => !same).length, 0);
  const step = (by: number) => {
    const rows = [...(table.current?.querySelectorAll<HTMLElement>('[data-change]') ?? [])];
    if (rows.length === 0) return;
    const from = at.current < 0 && by < 0 ? 0 : at.current;
    at.current = (from + by + rows.length) % rows.length;
    for (const [index, row] of rows.entries()) row.toggleAttribute('data-at', index === at.current);
    rows[at.current]?.scrollIntoView({ block: 'center' });
    setSaid(`Difference ${at.current + 1} of ${rows.length}`);
  };
  useCommands((command) => {
    if (command === 'find-next') step(1);
    if (command === 'find-previous') step(-1);
  });
  return (
    <>
      <div className="view-bar">
        <span role="status">
          {differing === 0 ? 'No line differs.' : said || saidCount(differing, 'line differs', 'lines differ')}
        </span>
        {differing > 0 && (
          <span className="actions">
            <Button look="quiet" icon="up" title="Previous difference (N)" onClick={() => step(-1)}>
              Previous
            </Button>
            <Button look="quiet" icon="down" title="Next difference (n)" onClick={() => step(1)}>
              Next
            </Button>
          </span>
        )}
        {Math.max(left.length, right.length) > MOST && (
          <span className="faint">Only the first {saidSize(MOST)} are compared.</span>
        )}
      </div>
      {lines > 0 && (
        <table ref={table} className="pairs">
          <thead className="sr">
            <tr>
              <th scope="col">Left</th>
              <th scope="col">Right</th>
            </tr>
          </thead>
          {withinRoom(found, drawn).map((stretch) => (
            <StretchRows key={stretch.from} stretch={stretch} />
          ))}
        </table>
      )}
      {lines > drawn && (
        <p className="cut-off">
          The first {saidCount(drawn, 'line')} are shown. <Button onClick={() => setDrawn(drawn * 4)}>Show more</Button>
        </p>
      )}
    </>
  );
}

/** Returns the stretches within the first `room` lines. */
function withinRoom(found: readonly DiffStretch[], room: number): readonly DiffStretch[] {
  return found
    .filter(({ from }) => from < room)
    .map((stretch) => ({ ...stretch, pairs: stretch.pairs.slice(0, room - stretch.from) }));
}

function StretchRows({ stretch: { is, pairs } }: { readonly stretch: DiffStretch }) {
  const [open, setOpen] = useState(false);
  if (is === 'left out' && !open && pairs.length > 1)
    return (
      <tbody className="left-out">
        <tr>
          <td colSpan={2}>
            <Button look="quiet" onClick={() => setOpen(true)}>
              {saidCount(pairs.length, 'equal line')}
            </Button>
          </td>
        </tr>
      </tbody>
    );
  return (
    <tbody>
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
        <PairRow key={index} pair={pair} begins={!pair.same && (pairs[index - 1]?.same ?? true)} />
      ))}
    </tbody>
  );
}

/** One line of both texts. `begins` marks the first line of a difference. */
function PairRow({ pair: { same, left, right }, begins }: { readonly pair: Pair; readonly begins: boolean }) {
  if (same || left === null || right === null)
    return (
      <tr className={same ? 'same' : 'differs'} data-change={begins ? '' : undefined}>
        <td className={left === null ? 'nothing' : same ? '' : 'gone'}>{left}</td>
        <td className={right === null ? 'nothing' : same ? '' : 'new'}>{right}</td>
      </tr>
    );
  const changed = changedPart(left, right);
  return (
    <tr className="differs" data-change={begins ? '' : undefined}>
      <td className="gone">
        {changed.start}
        {changed.left !== '' && <del>{changed.left}</del>}
        {changed.end}
      </td>
      <td className="new">
        {changed.start}
        {changed.right !== '' && <ins>{changed.right}</ins>}
        {changed.end}
      </td>
    </tr>
  );
}
