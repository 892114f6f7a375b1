import { harmlessLine } from '../../../src/text/harmless.ts';
import { plainReason } from '../../../src/text/unreached.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import { OUTBOUND_NAMES } from '../app/page-title.ts';
import { messageRoute, OUTBOUND_PARTS, type Route } from '../app/route.ts';
import { Empty } from '../parts/controls.tsx';
import { TimeAgo } from '../parts/TimeAgo.tsx';
import { NotLoaded, Tabs, Tone } from '../parts/view-controls.tsx';
import { toneOfState } from '../timeline/timeline.ts';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { ComposePage } from './Compose.tsx';
import { Suppression } from './Suppression.tsx';
import { Wallet } from './Wallet.tsx';

/** Shows the messages sent through the API, their state, and the settings of sending. */
export function OutboundPage({ route }: { readonly route: Extract<Route, { at: 'outbound' }> }) {
  const shell = useShell();
  return (
    <div className="page">
      <header>
        <h1>Outbound</h1>
        <p>
          Mail that your app sends through the API. Recipients below the mail domain get it in their mailboxes. Other
          mail goes to the relay, or is captured here if none is set.
        </p>
      </header>
      <div className="page-body">
        <Tabs
          label="Outbound"
          tabs={OUTBOUND_PARTS.map((name) => ({ name, text: OUTBOUND_NAMES[name] }))}
          current={route.part}
          onPick={(part) => shell.go({ at: 'outbound', part, id: null }, { replace: true })}
        />
        <div role="tabpanel" aria-labelledby={`tab-${route.part}`} className="page-body">
          {route.part === 'sends' && <Sends openId={route.id} />}
          {route.part === 'compose' && <ComposePage key={route.id} replyTo={route.id} />}
          {route.part === 'suppression' && <Suppression />}
          {route.part === 'wallet' && <Wallet />}
        </div>
      </div>
    </div>
  );
}

function Sends({ openId }: { readonly openId: string | null }) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const { value, failure, slow, reload } = useLoaded(
    'sends',
    () => shell.api.listSends({ limit: 100 }),
    ({ type }) => type === 'send.updated',
  );
  if (value === null) return <NotLoaded failure={failure} slow={slow} onRetry={reload} />;
  if (value.length === 0)
    return (
      <Empty icon="send" title="No mail was sent yet">
        <p>
          Mail that <code>POST /v1/mailboxes/…/send</code> sends is listed here, with the result for each recipient.
        </p>
        <a href={href({ at: 'outbound', part: 'compose', id: null })}>Compose a mail</a>
      </Empty>
    );
  return (
    <ul className="cards sends">
      {value.map((send) => (
        <li key={send.id} className={send.id === openId ? 'current' : ''}>
          <div className="card">
            <div className="card-head">
              <Tone tone={toneOfState(send.state)}>
                <strong>{send.state}</strong>
              </Tone>
              <a href={href(messageRoute(send.messageId))}>{harmlessLine(send.subject ?? '', 160) || NO_SUBJECT}</a>
              <span className="faint">
                from {harmlessLine(send.from, 100)} ·{' '}
                {harmlessLine(mailboxes.find(({ id }) => id === send.mailboxId)?.name ?? 'a deleted mailbox', 60)}
              </span>
              <span className="grow" />
              <TimeAgo className="faint" at={Date.parse(send.createdAt)} />
            </div>
            <table className="plain stacked">
              <tbody>
                {send.recipients.map(({ address, state, attempts, lastReply }) => (
                  <tr key={address}>
                    <th scope="row">{harmlessLine(address, 120)}</th>
                    <td>
                      <Tone tone={toneOfState(state)}>{state}</Tone>
                    </td>
                    <td className="faint">
                      {[
                        attempts > 0 ? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : '',
                        lastReply === null ? '' : saidReply(lastReply),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Returns a reply of SMTP as it came. What has no code is the error of a connection, which only a relay can have. */
function saidReply(reply: string): string {
  return /^\d{3}/.test(reply) ? harmlessLine(reply, 160) : `the relay: ${plainReason(reply)}`;
}
