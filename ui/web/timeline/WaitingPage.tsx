import { harmlessLine } from '../../../src/text/harmless.ts';
import type { HeldWait } from '../app/api.ts';
import { mailboxRoute } from '../app/route.ts';
import { Empty } from '../parts/controls.tsx';
import { useWaits } from '../parts/use-waits.ts';
import { useLoaded, useNow } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';
import { DiagnosisView } from './DiagnosisView.tsx';
import { SendMatching } from './NearMisses.tsx';
import { diagnosisOf, filtersOf, matchingConditions, reasonsOf } from './waiting.ts';

/** Shows the pending awaits: the filter of each, the remaining time, and why nothing has matched yet. */
export function WaitingPage() {
  const waits = useWaits();
  const inbox = useView(({ info }) => info?.mailboxId ?? '');
  return (
    <div className="page">
      <header>
        <h1>Waiting tests</h1>
        <p>Tests that wait for a mail or a request right now, and the reasons why nothing has matched.</p>
      </header>
      <div className="page-body">
        {waits.length === 0 ? (
          <Empty icon="wait" title="Nobody waits">
            <p>
              A test that calls <code>waitForMessage</code>, <code>waitForCode</code> or the like is shown here for as
              long as it waits. About the past of a mailbox you can ask{' '}
              <a href={`#/why/${inbox}`}>why no mail arrived</a>.
            </p>
          </Empty>
        ) : (
          waits.map((wait, index) => (
            <Held
              key={`${wait.heldSince} ${wait.mailboxId} ${JSON.stringify(wait.filters)}`}
              wait={wait}
              name={waits.length === 1 ? 'A test that waits' : `A test that waits, ${index + 1} of ${waits.length}`}
            />
          ))
        )}
      </div>
    </div>
  );
}

function Held({ wait, name }: { readonly wait: HeldWait; readonly name: string }) {
  const shell = useShell();
  const now = useNow(500);
  const mailbox = useView(({ mailboxes }) => mailboxes.find(({ id }) => id === wait.mailboxId) ?? null);
  const query = diagnosisOf(wait);
  const { value } = useLoaded(
    `wait ${wait.mailboxId} ${JSON.stringify(query)}`,
    async (signal) => (wait.mailboxId === null ? null : shell.api.diagnosis(wait.mailboxId, query, signal)),
    ({ type }) => type.startsWith('message.') || type === 'smtp.refused',
  );
  const held = Math.max(0, Math.round((now - Date.parse(wait.heldSince)) / 1_000));
  const left = Math.max(0, Math.round((Date.parse(wait.until) - now) / 1_000));
  const filters = filtersOf(wait);
  const undecided = wait.note?.undecided ?? [];
  const send = wait.kind === 'message' && wait.mailboxId !== null && (
    <SendMatching mailboxId={wait.mailboxId} conditions={matchingConditions(wait)} undecided={undecided} />
  );
  return (
    <section className="card wait-card" aria-label={name}>
      <div className="card-head">
        <strong>
          {wait.kind === 'message' ? 'Waits for a mail' : 'Waits for a request'}
          {mailbox !== null && (
            <>
              {' '}
              in <a href={href(mailboxRoute(mailbox.id))}>{harmlessLine(mailbox.name, 80)}</a>
            </>
          )}
        </strong>
        <span className="grow" />
        <span className="faint">
          for {held} s, {left} s left
        </span>
      </div>
      <ul className="chips">
        {filters.map(([name, text]) => (
          <li key={name}>
            <span className="faint">{name}</span> <code>{harmlessLine(text, 120)}</code>
          </li>
        ))}
        {filters.length === 0 && <li className="faint">any {wait.kind === 'message' ? 'mail' : 'request'} will do</li>}
      </ul>
      {value ? (
        <DiagnosisView diagnosis={value} reasons={reasonsOf(wait)} undecided={undecided} isWait action={send} />
      ) : (
        send
      )}
    </section>
  );
}
