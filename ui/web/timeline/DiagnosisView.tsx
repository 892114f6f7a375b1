import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../model/words.ts';
import type { Diagnosis } from '../../shell/api.ts';
import { Tone } from '../parts/controls.tsx';
import { href, useShell } from '../use-shell.ts';

/**
 * Shows why no message matched: the filter that rejected each message, mail to other mailboxes, SMTP refusals, and the
 * last connection.
 */
export function DiagnosisView({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const shell = useShell();
  const { messages, elsewhere, refusals, lastConnection, address } = diagnosis;
  const when = (time: string) => saidMoment(Date.parse(time), shell.now());
  const matching = messages.items.filter(({ refusedBy }) => refusedBy.length === 0);
  const lost = elsewhere.items.filter(({ matches }) => matches);
  return (
    <div className="diagnosis">
      <p className="verdict">
        <Verdict />
      </p>
      {messages.items.length > 0 && (
        <section>
          <h2>Came to {address}</h2>
          <ul>
            {messages.items.map((message) => (
              <li key={message.id}>
                <a href={href({ at: 'message', messageId: message.id, tab: null })}>
                  {harmlessLine(message.subject ?? '', 120) || NO_SUBJECT}
                </a>{' '}
                <span className="faint">
                  from {harmlessLine(message.from ?? 'nobody', 80)}, {when(message.receivedAt)}
                </span>
                {message.refusedBy.map(({ filter, wanted, saw }) => (
                  <p key={filter} className="refused-by">
                    <Tone tone="bad">
                      {filter} is not <code>{harmlessLine(wanted, 100)}</code>: it is{' '}
                      <code>{saw.map((one) => harmlessLine(one, 100)).join(', ') || 'empty'}</code>
                    </Tone>
                  </p>
                ))}
                {message.refusedBy.length === 0 && (
                  <p className="refused-by">
                    <Tone tone="good">it matches</Tone>
                  </p>
                )}
              </li>
            ))}
          </ul>
          {messages.leftOut > 0 && <p className="faint">and {messages.leftOut} more</p>}
        </section>
      )}
      {elsewhere.items.length > 0 && (
        <section>
          <h2>Came elsewhere</h2>
          <ul>
            {elsewhere.items.map((message) => (
              <li key={message.id}>
                <a href={href({ at: 'message', messageId: message.id, tab: null })}>
                  {harmlessLine(message.subject ?? '', 120) || NO_SUBJECT}
                </a>{' '}
                <span className="faint">
                  to {harmlessLine(message.to ?? '', 80)}, in {message.subdomain}, {when(message.receivedAt)}
                </span>
                {message.matches && (
                  <p className="refused-by">
                    <Tone tone="waiting">it matches, but is in another mailbox</Tone>
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
                  at {refusal.stage.toUpperCase()}
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
            {when(lastConnection.openedAt)} from {lastConnection.clientAddress}, {lastConnection.accepted} accepted, got
            as far as {lastConnection.reached ?? 'nothing'}
            {lastConnection.lastRefusal === null
              ? ''
              : `, last refusal ${harmlessLine(lastConnection.lastRefusal, 120)}`}
          </p>
        )}
      </section>
    </div>
  );

  function Verdict() {
    if (matching.length > 0)
      return (
        <>
          {matching.length === 1 ? 'One mail matches' : `${matching.length} mails match`}: it came before the wait
          began, or a test took it.
        </>
      );
    if (lost.length > 0) return <>A matching mail came to another mailbox: {lost[0]?.subdomain}.</>;
    if (messages.items.length > 0) return <>Mail came, but none of it matches.</>;
    if (refusals.items.length > 0)
      return <>No mail came; SMTP refused {refusals.items.length === 1 ? 'one' : String(refusals.items.length)}.</>;
    if (lastConnection === null) return <>No program has connected to SMTP.</>;
    return <>No mail came here.</>;
  }
}
