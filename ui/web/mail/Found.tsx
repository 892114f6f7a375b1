import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFacts } from '../app/api.ts';
import { Button } from '../parts/controls.tsx';
import { Icon } from '../parts/Icon.tsx';
import { CopyButton } from '../parts/view-controls.tsx';
import { KINDS, Why } from './Why.tsx';

const SHOWN = 2;

/** Shows the codes and the links of a mail, and the reasons why they were chosen and others were not. */
export function CodesAndLinks({
  facts: { codes, links, findError, why },
}: {
  readonly facts: Pick<MessageFacts, 'codes' | 'links' | 'findError' | 'why'>;
}) {
  const [all, setAll] = useState(false);
  const first = codes[0];
  const told = first?.ambiguous ? codes.filter(({ ambiguous }) => ambiguous) : codes.slice(0, 1);
  const ranked = [...links].sort((a, b) => a.rank - b.rank);
  const shown = all ? ranked : ranked.slice(0, SHOWN);
  const candidates = why.code.candidates.length + why.link.candidates.length;
  if (candidates === 0 && findError === null) return null;
  return (
    <section className={`found ${codes.length + links.length === 0 ? 'nothing' : ''}`} aria-label="Codes and links">
      {told.map(({ code, reason }, index) => (
        <div key={code} className="code-field">
          <div>
            <output className="code" aria-label="Code">
              {grouped(code)}
            </output>
            <p className="reason">{harmlessLine(reason, 200)}</p>
          </div>
          <CopyButton text={code} what="the code" label="Copy code" look={index === 0 ? 'main' : 'plain'} />
        </div>
      ))}
      {first?.ambiguous && (
        <p className="note waiting">These codes are equally likely. A test must choose one by a pattern.</p>
      )}
      {shown.length > 0 && (
        <ul className="links">
          {shown.map((link) => (
            <li key={link.url}>
              <span className="kind" title={harmlessLine(link.reason, 200)}>
                {KINDS[link.kind] ?? link.kind}
              </span>
              <LinkText url={link.url} text={link.text} tracker={link.tracker} />
              <CopyButton text={link.url} what="the link" look="quiet" />
            </li>
          ))}
        </ul>
      )}
      {links.some(({ ambiguous }) => ambiguous) && (
        <p className="note waiting">
          Several links are equally likely. A test must choose one by its kind, text or URL.
        </p>
      )}
      <div className="found-foot">
        {ranked.length > SHOWN && (
          <Button look="quiet" className="more" onClick={() => setAll(!all)} aria-expanded={all}>
            {all ? 'Fewer links' : `${ranked.length - SHOWN} more ${ranked.length - SHOWN === 1 ? 'link' : 'links'}`}
          </Button>
        )}
        <Why why={why} />
      </div>
      {findError !== null && <p className="note waiting">{harmlessLine(findError)}</p>}
    </section>
  );
}

/** Shows a link with its host highlighted. It opens in a new tab, without a referrer or access to this page. */
function LinkText({
  url,
  text,
  tracker,
}: {
  readonly url: string;
  readonly text: string;
  readonly tracker: string | null;
}) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isWeb = parsed !== null && /^https?:$/.test(parsed.protocol);
  const shown = (
    <>
      <b>{harmlessLine(parsed?.host || parsed?.protocol || url, 120)}</b>
      <span>{parsed === null ? '' : harmlessLine(`${parsed.pathname}${parsed.search}${parsed.hash}`, 400)}</span>
    </>
  );
  const title = [harmlessLine(text, 120), tracker === null ? '' : `tracked by ${tracker}`].filter(Boolean).join(' · ');
  return isWeb ? (
    <a className="url" href={parsed.href} target="_blank" rel="noopener noreferrer" title={title}>
      {shown} <Icon name="external" size={12} />
    </a>
  ) : (
    <span className="url" title={title}>
      {shown}
    </span>
  );
}

/** Splits a code into groups for reading aloud, such as 481 516. The copied code has no space. */
function grouped(code: string): string {
  const plain = harmlessLine(code, 40);
  if (!/^[A-Za-z0-9]{6,10}$/.test(plain)) return plain;
  const half = plain.length % 4 === 0 ? 4 : 3;
  return plain.replace(new RegExp(`(.{${half}})(?=.{${half}})`, 'g'), '$1\u2009');
}
