import { Fragment, useMemo, useState } from 'react';
import { harmlessLine, harmlessText } from '../../../src/text/harmless.ts';
import { saidMoment, saidSize } from '../../../src/text/said.ts';
import { Button } from '../parts/controls.tsx';
import { HeaderTable } from '../parts/HeaderTable.tsx';
import { CopyButton, NotLoaded, Pre } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { useShell, useView } from '../use-shell.ts';
import { decodedText, hasCodedBody, isKnownCharset } from './decoded-part.ts';
import { foldedBody, headersOf, latin1Text, type MimePart, mimeTree, partAt, trace } from './mail-source.ts';

/** The number of characters of a source that are shown before the reader asks for all. */
const DRAWN = 200_000;
/** The number of characters of a part that are shown. */
const PART_DRAWN = 20_000;

/** A header field that says that the text below it is written in other signs. */
const ENCODED = /^content-transfer-encoding:\s*(?:base64|quoted-printable)/im;

/** Shows the headers, the MIME parts or the source of a message, or of a mail attached to it. */
export function RawViews({
  messageId,
  attached = null,
  tab,
}: {
  readonly messageId: string;
  readonly attached?: string | null;
  readonly tab: 'headers' | 'parts' | 'source';
}) {
  const shell = useShell();
  const { value, failure, slow, reload } = useLoaded(`raw ${messageId} ${attached}`, () =>
    attached === null ? shell.api.getRawMessage(messageId) : shell.api.getAttachment(messageId, attached),
  );
  const latin1 = useMemo(() => (value === null ? '' : latin1Text(value)), [value]);
  const utf8 = useMemo(() => (value === null ? '' : new TextDecoder().decode(value)), [value]);
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} rows={5} />;
  if (tab === 'headers') return <Headers source={utf8} />;
  if (tab === 'parts') return <Parts root={mimeTree(latin1)} />;
  return <Source source={utf8} bytes={value} name={attached ?? messageId} />;
}

function Headers({ source }: { readonly source: string }) {
  const shell = useShell();
  const headers = useMemo(() => headersOf(source), [source]);
  const [wanted, setWanted] = useState('');
  const hops = trace(headers);
  const part = wanted.trim().toLowerCase();
  const found = headers.filter(([name, value]) => `${name}: ${value}`.toLowerCase().includes(part));
  return (
    <>
      {hops.length > 0 && (
        <section className="trace" aria-label="Route of the mail">
          <h2>Route of the mail</h2>
          <ol>
            {hops.map((hop, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hops have no id
              <li key={index}>
                <span>
                  {hop.from === null ? '' : <b>{harmlessLine(hop.from, 80)}</b>} →{' '}
                  <b>{harmlessLine(hop.by ?? '?', 80)}</b>
                </span>
                <span className="faint">
                  {[
                    hop.with,
                    hop.at === null ? null : saidMoment(hop.at, shell.now()),
                    hop.tookMs === null ? null : `after ${Math.round(hop.tookMs / 1_000)} s`,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      <div className="view-bar">
        <input
          type="search"
          className="small"
          placeholder="Find in the headers"
          aria-label="Find in the headers"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <span className="faint" role="status">
          {found.length} of {headers.length}
        </span>
        <span className="grow" />
        <CopyButton
          text={() => headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          what="the headers"
          look="quiet"
        />
      </div>
      <HeaderTable headers={found} />
    </>
  );
}

function Parts({ root }: { readonly root: MimePart }) {
  const shell = useShell();
  const asked = useView(({ route }) => (route.at === 'mail' ? route.part : null));
  const shown = (asked === null ? null : partAt(root, asked)) ?? root.parts[0] ?? root;
  const show = ({ number }: MimePart) => {
    const { route } = shell.state.value;
    if (route.at === 'mail') shell.go({ ...route, tab: 'parts', part: number }, { replace: true });
  };
  return (
    <div className="mime">
      <ul className="tree">
        <Part part={root} shown={shown.number} onShow={show} />
      </ul>
      <section className="mime-part" aria-label={`Part ${shown.number}`}>
        <h2>
          {shown.type} <span className="faint">{saidSize(shown.sizeBytes)}, encoded</span>
        </h2>
        <HeaderTable
          headers={shown.headers.filter(([name]) => shown.number !== 'mail' || /^(content-|mime-)/i.test(name))}
        />
        {shown.parts.length === 0 && <PartBody key={shown.number} part={shown} />}
      </section>
    </div>
  );
}

/** Shows the body of a part: a text as people read it, and as it came when asked. Other files show as they came. */
function PartBody({ part }: { readonly part: MimePart }) {
  const decoded = useMemo(() => decodedText(part), [part]);
  const [asItCame, setAsItCame] = useState(false);
  const differs = decoded !== null && decoded !== part.body;
  const isRead = decoded !== null && !asItCame;
  const isKnown = part.charset === null || isKnownCharset(part.charset);
  const text = isRead ? decoded : part.body;
  const lacks = isRead || !hasCodedBody(part) ? onlyFirst(text, PART_DRAWN) : 'This part is encoded.';
  return (
    <>
      {differs && (
        <div className="view-bar">
          <span className="faint">
            {isRead ? 'Decoded from' : 'As it came, in'}{' '}
            {harmlessLine([part.encoding, part.charset].filter(Boolean).join(' and '), 80) || 'UTF-8'}
            {isRead && !isKnown && ', and read as UTF-8, because the browser does not know that charset'}
          </span>
          <Button look="quiet" aria-pressed={asItCame} onClick={() => setAsItCame(!asItCame)}>
            As it came
          </Button>
        </div>
      )}
      <Pre data-lacks={lacks}>{harmlessText(text.slice(0, PART_DRAWN))}</Pre>
    </>
  );
}

function Part({
  part,
  shown,
  onShow,
}: {
  readonly part: MimePart;
  readonly shown: string;
  readonly onShow: (part: MimePart) => void;
}) {
  return (
    <li>
      <button type="button" aria-pressed={part.number === shown} onClick={() => onShow(part)}>
        <code>{part.number}</code> {harmlessLine(part.type, 80)}
        <span className="faint">
          {' '}
          {[
            part.filename && harmlessLine(part.filename, 60),
            part.charset && harmlessLine(part.charset, 30),
            part.encoding && harmlessLine(part.encoding, 30),
            saidSize(part.sizeBytes),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </button>
      {part.parts.length > 0 && (
        <ul>
          {part.parts.map((child) => (
            <Part key={child.number} part={child} shown={shown} onShow={onShow} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Source({
  source,
  bytes,
  name,
}: {
  readonly source: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
}) {
  const shell = useShell();
  const [all, setAll] = useState(source.length <= DRAWN);
  const [unfolded, setUnfolded] = useState(false);
  const text = harmlessText(all ? source : source.slice(0, DRAWN));
  const blank = text.indexOf('\n\n');
  const head = blank < 0 ? text : text.slice(0, blank);
  // Each line of the head is drawn with its line break.
  const body = blank < 0 ? '' : text.slice(blank + 1);
  const lacks = ENCODED.test(source)
    ? 'Texts are encoded in the source. Parts shows them decoded.'
    : onlyFirst(source, all ? source.length : DRAWN);
  return (
    <>
      <div className="view-bar">
        <span className="faint">{saidSize(bytes.length)}, exactly as received</span>
        <span className="grow" />
        <CopyButton text={source} what="the source" look="quiet" />
        <Button look="quiet" icon="download" onClick={() => shell.machine.save(`${name}.eml`, new Blob([bytes]))}>
          Download
        </Button>
      </div>
      <Pre className="source" data-lacks={lacks}>
        {head.split('\n').map((line, index) => {
          const [, name, rest] = /^([\x21-\x39\x3b-\x7e]+:)(.*)$/s.exec(line) ?? [];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never change places
            <Fragment key={index}>
              {name === undefined ? (
                line
              ) : (
                <>
                  <span className="t-name">{name}</span>
                  {rest}
                </>
              )}
              {'\n'}
            </Fragment>
          );
        })}
        {(unfolded ? [{ text: body, folded: false }] : foldedBody(body)).map(({ text: piece, folded }, index) =>
          folded ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change places
            <button key={index} type="button" className="fold" onClick={() => setUnfolded(true)}>
              {piece}
            </button>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change places
            <Fragment key={index}>{piece}</Fragment>
          ),
        )}
      </Pre>
      {!all && (
        <p className="cut-off">
          Only the first {saidSize(DRAWN)} are shown. <Button onClick={() => setAll(true)}>Show all</Button>
        </p>
      )}
    </>
  );
}

/** Says that a search looks at the beginning of a text alone. Empty if all of it is shown. */
function onlyFirst(text: string, shown: number): string {
  return text.length > shown ? `Only the first ${saidSize(shown)} are shown.` : '';
}
