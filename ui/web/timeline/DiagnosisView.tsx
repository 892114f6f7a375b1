import { type ReactNode, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount, saidMoment } from '../../../src/text/said.ts';
import { NO_CLIENT, saidMissedTls, saidRefusal } from '../../../src/text/why-not.ts';
import type { Diagnosis } from '../app/api.ts';
import { mailboxRoute, messageRoute } from '../app/route.ts';
import { Button } from '../parts/controls.tsx';
import { useNames } from '../parts/use-names.ts';
import { Tone } from '../parts/view-controls.tsx';
import { href, useShell, useView } from '../use-shell.ts';
import { NearMisses, SHOWN_MISSES } from './NearMisses.tsx';
import { STEPS } from './stages.ts';
import { type ClientReasons, matchingOf, nearMissesOf } from './waiting.ts';

const NO_REASONS: ClientReasons = new Map();

function quoted(text: string): string {
  return `“${harmlessLine(text, 100)}”`;
}

/** The other mails that are shown before the reader asks for all. */
const SHOWN_OTHERS = 5;

/**
 * Shows why no message matched: the filter that rejected each message, mail to other mailboxes, SMTP refusals, and the
 * last connection. What can be done about it stands below the verdict.
 */
export function DiagnosisView({
  diagnosis,
  reasons = NO_REASONS,
  undecided = [],
  isWait = false,
  action,
}: {
  readonly diagnosis: Diagnosis;
  /** The reasons of a client that waits, for the messages that it refused. */
  readonly reasons?: ClientReasons;
  /** The names of the filters that only the client can evaluate. */
  readonly undecided?: readonly string[];
  /** True for the diagnosis of a wait that goes on. */
  readonly isWait?: boolean;
  /** The action that the reader can take. */
  readonly action?: ReactNode;
}) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const { mailboxId, messages, elsewhere, refusals, lastConnection, address } = diagnosis;
  const nameOf = useNames([...messages.items, ...elsewhere.items]);
  const mailboxOf = (subdomain: string) =>
    harmlessLine(mailboxes.find((one) => one.subdomain === subdomain)?.name || subdomain, 80);
  const when = (time: string) => saidMoment(Date.parse(time), shell.now());
  const matching = matchingOf(messages.items, reasons);
  const missedTls = lastConnection === null ? '' : saidMissedTls(lastConnection, 'page');
  const lost = elsewhere.items.filter(({ matches }) => matches);
  const hasConditions = Object.values(diagnosis.filters).some((text) => text !== null);
  // Without conditions all mail matches, so that nothing is near.
  const isAnswered = matching.length > 0 && !hasConditions;
  const misses = isAnswered ? [] : nearMissesOf(diagnosis, reasons);
  const nearest = new Set(misses.slice(0, SHOWN_MISSES).map(({ message }) => message.id));
  const matched = new Set(matching.map(({ id }) => id));
  const others = messages.items.filter(({ id }) => !nearest.has(id) && !matched.has(id));
  const othersElsewhere = elsewhere.items.filter(({ id }) => !nearest.has(id));
  return (
    <div className="diagnosis">
      <p className="verdict">{saidVerdict()}</p>
      {/* Without conditions every mail matches, so none has to be sent. */}
      {action !== undefined && !isAnswered && <div className="form-actions">{action}</div>}
      {matching.length > 0 && (
        <section>
          <h2>{hasConditions ? 'Matches' : `Came to ${address}`}</h2>
          <Mails mails={matching} mailboxId={mailboxId} leftOut={isAnswered ? messages.leftOut : 0}>
            {(message) => <Mail key={message.id} message={message} name={nameOf(message, 120)} />}
          </Mails>
        </section>
      )}
      <NearMisses misses={misses} nameOf={nameOf} mailboxOf={mailboxOf} />
      {!isAnswered && others.length + messages.leftOut > 0 && (
        <section>
          <h2>{nearest.size + matched.size > 0 ? `Other mail to ${address}` : `Came to ${address}`}</h2>
          <Mails mails={others} mailboxId={mailboxId} leftOut={messages.leftOut}>
            {(message) => (
              <Mail key={message.id} message={message} name={nameOf(message, 120)}>
                {reasons.has(message.id) ? (
                  <p className="refused-by">
                    <Tone tone="bad">{harmlessLine(reasons.get(message.id) ?? '', 300)}</Tone>
                  </p>
                ) : (
                  message.refusedBy.map((one) => (
                    <p key={`${one.filter} ${one.wanted}`} className="refused-by">
                      <Tone tone="bad">
                        {one.filter} <code>{harmlessLine(one.wanted, 100)}</code>: {saidRefusal(one, quoted)}
                      </Tone>
                    </p>
                  ))
                )}
              </Mail>
            )}
          </Mails>
        </section>
      )}
      {othersElsewhere.length > 0 && (
        <section>
          <h2>Came elsewhere</h2>
          <ul>
            {othersElsewhere.map((message) => (
              <li key={message.id}>
                <a href={href(messageRoute(message.id))}>{nameOf(message, 120)}</a>{' '}
                <span className="faint">
                  to {harmlessLine(message.to ?? '', 80)}, in {mailboxOf(message.subdomain)}, {when(message.receivedAt)}
                </span>
                {message.matches && !isAnswered && (
                  <p className="refused-by">
                    <Tone tone="waiting">
                      {undecided.length === 0
                        ? 'it matches, but is in another mailbox'
                        : `it may match, but is in another mailbox; only the test can tell by ${undecided.join(', ')}`}
                    </Tone>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {refusals.items.length > 0 && (
        <section>
          <h2>Refused by SMTP</h2>
          <ul>
            {refusals.items.map((refusal, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: refusals have no id
              <li key={index}>
                <code>{harmlessLine(refusal.reply, 160)}</code>{' '}
                <span className="faint">
                  at {STEPS[refusal.stage]}
                  {refusal.recipient === null ? '' : `, to ${harmlessLine(refusal.recipient, 80)}`}, {when(refusal.at)}
                  {refusal.reason === 'fault' ? ', because of a fault rule' : ''}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Last SMTP connection</h2>
        {lastConnection === null ? (
          <p className="faint">There was none since the server started. Does the app use the right host and port?</p>
        ) : (
          <p className="faint">
            From {lastConnection.clientAddress}, {when(lastConnection.openedAt)}:{' '}
            {saidCount(lastConnection.accepted, 'mail')} accepted,{' '}
            {lastConnection.reached === null ? 'no step succeeded' : `last step: ${STEPS[lastConnection.reached]}`}
            {missedTls === '' ? '' : `; ${missedTls}`}
            {lastConnection.lastRefusal === null
              ? ''
              : `, last refusal ${harmlessLine(lastConnection.lastRefusal, 120)}`}
          </p>
        )}
      </section>
    </div>
  );

  function saidVerdict(): ReactNode {
    if (isAnswered) return <>{saidCount(matching.length + messages.leftOut, 'mail')} came here.</>;
    if (matching.length > 0) {
      const count = matching.length === 1 ? 'One mail matches' : `${matching.length} mails match`;
      const why = matching.length === 1 ? 'it came' : 'they came';
      return <>{isWait ? `${count}: ${why} before the wait began, or a test took it.` : `${count}.`}</>;
    }
    if (lost.length > 0)
      return (
        <>
          A mail that {undecided.length === 0 ? 'matches' : 'may match'} came to another mailbox:{' '}
          {mailboxOf(lost[0]?.subdomain ?? '')}.
        </>
      );
    if (messages.items.length > 0) return <>Mail came, but none of it matches.</>;
    if (elsewhere.items.length > 0) return <>Mail came to other mailboxes, but none of it matches.</>;
    if (refusals.items.length > 0)
      return <>No mail came; SMTP refused {refusals.items.length === 1 ? 'one' : String(refusals.items.length)}.</>;
    if (lastConnection === null) return <>{NO_CLIENT}</>;
    return <>No mail came here.</>;
  }
}

/** A mail in a list, with its sender and its time, and then what is to be said about it. */
function Mail({
  message,
  name,
  children,
}: {
  readonly message: Diagnosis['messages']['items'][number];
  readonly name: string;
  readonly children?: ReactNode;
}) {
  const shell = useShell();
  const { id, from, receivedAt } = message;
  return (
    <li>
      <a href={href(messageRoute(id))}>{name}</a>{' '}
      <span className="faint">
        from {harmlessLine(from ?? 'nobody', 80)}, {saidMoment(Date.parse(receivedAt), shell.now())}
      </span>
      {children}
    </li>
  );
}

/** Shows the first mails of a list, and the others when the reader asks for them. */
function Mails<One>({
  mails,
  mailboxId,
  leftOut = 0,
  children,
}: {
  readonly mails: readonly One[];
  /** The mailbox whose list has all. */
  readonly mailboxId: string;
  /** The number of further mails that the server only counted. */
  readonly leftOut?: number;
  readonly children: (mail: One) => ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  const isLong = mails.length > SHOWN_OTHERS;
  return (
    <>
      <ul>{(isWhole ? mails : mails.slice(0, SHOWN_OTHERS)).map(children)}</ul>
      {isLong && (
        <Button look="quiet" className="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `${mails.length - SHOWN_OTHERS} more`}
        </Button>
      )}
      {leftOut > 0 && (isWhole || !isLong) && (
        <p>
          <a href={href(mailboxRoute(mailboxId))}>{saidCount(leftOut, 'older mail')} in the list</a>
        </p>
      )}
    </>
  );
}
