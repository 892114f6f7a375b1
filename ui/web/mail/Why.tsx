import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFacts } from '../app/api.ts';
import { Button } from '../parts/controls.tsx';
import { Tone } from '../parts/view-controls.tsx';

type Reasons = MessageFacts['why']['code'];

/** The names of the kinds of links. */
export const KINDS: Readonly<Record<string, string>> = {
  verify: 'Verify',
  magic: 'Sign in',
  reset: 'Reset',
  invite: 'Invitation',
  unsubscribe: 'Unsubscribe',
  other: 'Link',
};

const VERDICTS = {
  chosen: ['chosen', 'good'],
  unsure: ['equally likely', 'waiting'],
  further: ['less likely', 'plain'],
  no: ['no code', 'plain'],
} as const;

/** The candidates of each section that are shown before the reader asks for all. */
const SHOWN = 4;

function chosenOf(code: Reasons, link: Reasons): string {
  const [isCode, isLink] = [code, link].map(({ candidates }) => candidates.some(({ verdict }) => verdict !== 'no'));
  return isCode && isLink ? 'this code and link' : isCode ? 'this code' : 'this link';
}

/** Lists the candidates for the code and the link of a mail, each with the decision and its reason. Folded at first. */
export function Why({ why: { code, link } }: Pick<MessageFacts, 'why'>) {
  if (code.candidates.length + link.candidates.length === 0) return null;
  const isFound = [...code.candidates, ...link.candidates].some(({ verdict }) => verdict !== 'no');
  return (
    <details className="why">
      <summary>{isFound ? `Why ${chosenOf(code, link)}` : 'Why no code'}</summary>
      <Section title="Code" reasons={code} nothing="No text in the mail looks like a code." />
      <Section title="Link" reasons={link} nothing="The mail has no link." />
    </details>
  );
}

function Section({
  title,
  reasons: { candidates, hint },
  nothing,
}: {
  readonly title: string;
  readonly reasons: Reasons;
  readonly nothing: string;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? candidates : candidates.slice(0, SHOWN);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {candidates.length === 0 && <p>{nothing}</p>}
      <ul>
        {shown.map(({ value, kind, verdict, reason }) => {
          const [said, tone] = VERDICTS[verdict];
          return (
            <li key={`${verdict} ${value}`}>
              <Tone tone={tone}>{kind === null ? said : `${KINDS[kind] ?? kind}, ${said}`}</Tone>
              <div>
                <code>{harmlessLine(value, 300)}</code>
                <p>{harmlessLine(reason, 300)}</p>
              </div>
            </li>
          );
        })}
      </ul>
      {candidates.length > SHOWN && (
        <Button look="quiet" className="more" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Fewer' : `${candidates.length - SHOWN} more`}
        </Button>
      )}
      {hint !== null && <p className="hint">{harmlessLine(hint, 500)}</p>}
    </section>
  );
}
