import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { saidMailSent } from '../../../src/text/wording.ts';
import { messageRoute } from '../app/route.ts';
import { Button } from '../parts/controls.tsx';
import { Fact } from '../parts/Fact.tsx';
import type { useNames } from '../parts/use-names.ts';
import { Tone } from '../parts/view-controls.tsx';
import { href, useShell } from '../use-shell.ts';
import { type DifferingText, differenceOf, type NearMiss } from './waiting.ts';

/** The names of the conditions in a sentence. */
const CONDITION_NAMES: Readonly<Record<string, string>> = {
  subject: 'the subject',
  from: 'the sender',
  to: 'the recipient',
  body: 'the text',
  header: 'a header field',
  code: 'a code',
  link: 'a link',
  query: 'a search word',
};

/** The number of near misses that are shown. */
export const SHOWN_MISSES = 3;

/** Shows the mails that nearly matched, the nearest first, and what each has in place of what was wanted. */
export function NearMisses({
  misses,
  nameOf,
  mailboxOf,
}: {
  readonly misses: readonly NearMiss[];
  readonly nameOf: ReturnType<typeof useNames>;
  /** Names a mailbox by its subdomain. */
  readonly mailboxOf: (subdomain: string) => string;
}) {
  const shell = useShell();
  if (misses.length === 0) return null;
  return (
    <section>
      <h2>Nearly matched</h2>
      <ol className="near-misses">
        {misses.slice(0, SHOWN_MISSES).map((miss) => {
          const { id, from, receivedAt } = miss.message;
          return (
            <li key={id}>
              <p>
                <a href={href(messageRoute(id))}>
                  <bdi>{nameOf(miss.message, 120)}</bdi>
                </a>{' '}
                <Tone tone="waiting">{failedOn(miss)}</Tone>
              </p>
              <p className="faint">
                from <bdi>{harmlessLine(from ?? 'nobody', 80)}</bdi>, {saidMoment(Date.parse(receivedAt), shell.now())}
              </p>
              <Reasons miss={miss} mailboxOf={mailboxOf} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Names the conditions on which a mail failed. */
function failedOn({ failed, cameTo }: NearMiss): string {
  if (cameTo !== null) return 'only the mailbox differs';
  const names = failed.map(({ filter }) => CONDITION_NAMES[filter] ?? filter);
  const [first, ...others] = names;
  if (first === undefined) return 'refused by the test';
  if (others.length === 0) return `only ${first} differs`;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} differ`;
}

function Reasons({
  miss: { failed, reason, cameTo },
  mailboxOf,
}: {
  readonly miss: NearMiss;
  readonly mailboxOf: (subdomain: string) => string;
}) {
  if (cameTo !== null) return <p>It matches, and came to {mailboxOf(cameTo)}.</p>;
  return (
    <>
      {failed.map((refusal) => {
        const difference = differenceOf(refusal);
        return (
          <dl key={`${refusal.filter} ${refusal.wanted}`} className="wanted-seen">
            <Fact name="wanted">
              {difference === null ? (
                <code>{harmlessLine(refusal.wanted, 200)}</code>
              ) : (
                <Parts {...difference.wanted} />
              )}
            </Fact>
            <Fact name={`${CONDITION_NAMES[refusal.filter] ?? refusal.filter} has`}>
              {difference === null ? <span className="faint">nothing</span> : <Parts {...difference.saw} />}
            </Fact>
          </dl>
        );
      })}
      {reason !== null && <p>{harmlessLine(reason, 300)}</p>}
    </>
  );
}

/** A text, with what only it has marked. */
function Parts({ start, before, same, after, end }: DifferingText) {
  return (
    <code>
      {harmlessPart(start)}
      {before !== '' && <mark>{harmlessPart(before)}</mark>}
      {harmlessPart(same)}
      {after !== '' && <mark>{harmlessPart(after)}</mark>}
      {harmlessPart(end)}
    </code>
  );
}

/** Makes a part of a line safe. Unlike a line, it keeps the spaces at its ends. */
function harmlessPart(text: string): string {
  if (text.trim() === '') return text === '' ? '' : ' ';
  const begin = text.trimStart() === text ? '' : ' ';
  const end = text.trimEnd() === text ? '' : ' ';
  return `${begin}${harmlessLine(text, 300)}${end}`;
}

/** Sends a mail that meets the conditions of a wait, so that the test goes on. */
export function SendMatching({
  mailboxId,
  conditions,
  undecided = [],
}: {
  readonly mailboxId: string;
  readonly conditions: Readonly<Record<string, string>>;
  /** The names of the filters that only the client can evaluate. */
  readonly undecided?: readonly string[];
}) {
  const shell = useShell();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const sent = await shell.attempt(() => shell.api.sendMatching(mailboxId, conditions));
    setBusy(false);
    if (sent === null) return;
    const unsure =
      undecided.length === 0 ? '' : ` Only the test can tell whether it matches, by ${undecided.join(', ')}.`;
    shell.say(`${saidMailSent(sent.subject ?? '')}${unsure}`, 'good');
  };
  return (
    <Button icon="send" disabled={isBusy} onClick={() => void send()}>
      Send a mail that matches
    </Button>
  );
}
