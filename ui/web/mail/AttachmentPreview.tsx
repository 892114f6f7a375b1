import { useEffect, useMemo } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidCount, saidSize } from '../../../src/text/said.ts';
import { NotLoaded } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { BodyText } from '../webhooks/BodyText.tsx';
import { prettyBody } from '../webhooks/request-body.ts';
import { csvRows, type PreviewKind } from './attachment-kinds.ts';
import { CalendarPreview } from './CalendarPreview.tsx';
import { unfoldedLines } from './calendar.ts';
import { charsetOfFile, fileTextIn } from './decoded-part.ts';

/** The bytes of an attachment that a preview reads. */
const MOST_BYTES = 2_000_000;
const MOST_ROWS = 50;
const MOST_TEXT = 20_000;

/** Shows the content of an attachment by its kind. Every text of it is text of the page, and never its markup. */
export function AttachmentPreview({
  messageId,
  id,
  kind,
  onShown,
}: {
  readonly messageId: string;
  readonly id: string;
  readonly kind: Exclude<PreviewKind, 'picture' | 'pdf'>;
  /** Called when the content is there. */
  readonly onShown: () => void;
}) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`preview ${messageId} ${id}`, async () => {
    // A file of an attached mail has the id of that mail before its own position.
    const mail = id.slice(0, Math.max(id.lastIndexOf('.'), 0));
    const [bytes, source] = await Promise.all([
      shell.api.getAttachment(messageId, id),
      mail === '' ? shell.api.getRawMessage(messageId) : shell.api.getAttachment(messageId, mail),
    ]);
    const read = bytes.subarray(0, MOST_BYTES);
    const content = fileTextIn(kind === 'calendar' ? unfoldedLines(read) : read, charsetOfFile(source, bytes));
    return { ...content, isCut: bytes.length > MOST_BYTES };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once for a content
  useEffect(() => {
    if (value !== null) onShown();
  }, [value]);
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={2} />;
  const { text, guess, isCut } = value;
  return (
    <>
      {kind === 'table' ? (
        <Table text={text} />
      ) : kind === 'calendar' ? (
        <CalendarPreview text={text} />
      ) : (
        <Plain text={text} isJson={kind === 'json'} />
      )}
      {guess !== null && (
        <p className="faint">
          {harmlessLine(guess.why, 80)}: read as {guess.charset}.
        </p>
      )}
      {isCut && <p className="faint">Only the first {saidSize(MOST_BYTES)} of the file were read.</p>}
    </>
  );
}

function Plain({ text, isJson }: { readonly text: string; readonly isJson: boolean }) {
  const pretty = useMemo(() => (isJson ? prettyBody(text, 'application/json') : null), [text, isJson]);
  const whole = pretty?.text ?? text;
  const shown = harmlessText(whole.slice(0, MOST_TEXT));
  return (
    <>
      <BodyText text={shown} isJson={pretty?.as === 'json'} />
      {whole.length > MOST_TEXT && <p className="faint">Only the first {saidSize(MOST_TEXT)} are shown.</p>}
    </>
  );
}

function Table({ text }: { readonly text: string }) {
  const rows = useMemo(() => csvRows(text), [text]);
  const [head = [], ...body] = rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <div className="csv" tabIndex={0}>
      <table className="plain">
        <thead>
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places
              <th key={index} scope="col">
                {harmlessLine(cell, 120)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(0, MOST_ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change places
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places
                <td key={column}>{harmlessLine(cell, 200)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {body.length > MOST_ROWS && <p className="faint">and {saidCount(body.length - MOST_ROWS, 'more row')}</p>}
    </div>
  );
}
