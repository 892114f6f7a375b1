import { useEffect, useMemo, useRef, useState } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import type { CheckFinding, Checks, MessageContent } from '../app/api.ts';
import { Button, Failed, Skeleton } from '../parts/controls.tsx';
import { NotLoaded, Pre, Tone } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell } from '../use-shell.ts';
import { HtmlSupportView } from './HtmlSupport.tsx';

type Place = NonNullable<CheckFinding['place']>;

const SIGNS = { error: 'Error', warning: 'Warning', note: 'Note' } as const;
const PARTS = { html: 'HTML', text: 'Text', source: 'Source' } as const;
const TONES = { error: 'bad', warning: 'waiting', note: 'plain' } as const;
/** The characters of the source that are shown on each side of a place. */
const AROUND = 4_000;

/** Shows the findings of the checks of a message, and the place of a finding in the source. */
export function ChecksView({ messageId, content }: { readonly messageId: string; readonly content: MessageContent }) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`checks ${messageId}`, (signal) =>
    shell.api.checkMessage(messageId, {}, { signal }),
  );
  const [place, setPlace] = useState<Place | null>(null);
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />;
  return (
    <>
      {content.htmlBody !== null && <HtmlSupportView messageId={messageId} shown={place} onShow={setPlace} />}
      <h2>Findings</h2>
      <p className="faint" role="status">
        {summaryOf(value)}
      </p>
      {value.checkError !== null && (
        <p className="note bad">The message could not be checked: {harmlessLine(value.checkError)}</p>
      )}
      {value.notChecked.map((sentence) => (
        <p key={sentence} className="faint">
          {harmlessLine(sentence)}
        </p>
      ))}
      <ul className="findings">
        {value.findings.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id, and the list does not change
          <Finding key={index} finding={finding} shown={place} onShow={setPlace} />
        ))}
      </ul>
      {place !== null && <Source messageId={messageId} content={content} place={place} />}
    </>
  );
}

function summaryOf({ findings, clients, clientData, leftOut }: Checks): string {
  const count = (severity: CheckFinding['severity'], word: string) => {
    return saidCount(findings.filter((finding) => finding.severity === severity).length, word);
  };
  const counts = [count('error', 'error'), count('warning', 'warning'), count('note', 'note')].join(', ');
  const more = leftOut === 0 ? '' : ` and ${saidCount(leftOut, 'more finding')}`;
  return `${counts}${more}. ${saidCount(clients.length, 'mail program')}, with data of ${clientData.source} from ${clientData.date}.`;
}

function Finding({
  finding,
  shown,
  onShow,
}: {
  readonly finding: CheckFinding;
  readonly shown: Place | null;
  readonly onShow: (place: Place) => void;
}) {
  const { rule, detail, severity, message, remedy, place, count, url } = finding;
  return (
    <li className="finding">
      <p>
        <Tone tone={TONES[severity]}>{SIGNS[severity]}</Tone>{' '}
        <code>{harmlessLine(detail === null ? rule : `${rule}:${detail}`, 80)}</code>{' '}
        {place !== null && (
          <Button
            look="quiet"
            aria-pressed={place === shown}
            title={`column ${place.column}`}
            onClick={() => onShow(place)}
          >
            {PARTS[place.part]}, line {place.line}
            {count > 1 ? ` and ${count - 1} more` : ''}
          </Button>
        )}
      </p>
      <p>{harmlessLine(message, 400)}</p>
      <p className="faint">
        {harmlessLine(remedy, 300)}{' '}
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer noopener">
            caniemail.com
          </a>
        )}
      </p>
    </li>
  );
}

/** Shows the source around a place, and highlights the place. */
function Source({
  messageId,
  content,
  place,
}: {
  readonly messageId: string;
  readonly content: MessageContent;
  readonly place: Place;
}) {
  const shell = useShell();
  const isRaw = place.part === 'source';
  const raw = useLoaded(isRaw ? `raw ${messageId}` : 'no raw', async () =>
    isRaw ? new TextDecoder('latin1').decode(await shell.api.getRawMessage(messageId)) : '',
  );
  const body = place.part === 'html' ? content.htmlBody : content.textBody;
  const source = isRaw ? raw.value : body;
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (source !== null && place !== null) mark.current?.scrollIntoView({ block: 'nearest' });
  }, [source, place]);
  const pieces = useMemo(() => piecesOf(source ?? '', place), [source, place]);
  if (raw.failure !== null && source === null) return <Failed reason={raw.failure} onRetry={raw.reload} />;
  if (source === null) return <Skeleton rows={3} slow={raw.slow} />;
  const name = { html: 'The decoded HTML', text: 'The decoded text', source: 'The raw message' }[place.part];
  return (
    <section aria-label="The place in the source">
      <h2>
        {name}, line {place.line}
      </h2>
      <Pre className="source">
        {pieces.before}
        <mark ref={mark}>{pieces.marked}</mark>
        {pieces.after}
      </Pre>
    </section>
  );
}

function piecesOf(source: string, { start, end }: Place) {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(source.length, end + AROUND);
  return {
    before: (from === 0 ? '' : '…') + harmlessText(source.slice(from, start)),
    marked: harmlessText(source.slice(start, Math.min(end, start + AROUND))) || '⌶',
    after: harmlessText(source.slice(end, to)) + (to === source.length ? '' : '…'),
  };
}
