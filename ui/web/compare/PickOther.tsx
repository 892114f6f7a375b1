import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidMoment } from '../../../src/text/said.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import { ALL_MAIL } from '../app/api.ts';
import { isLike, mailsOfSender } from '../app/compare-messages.ts';
import { compareRoute } from '../app/route.ts';
import type { WebRow } from '../app/state.ts';
import { toWebRow } from '../app/state.ts';
import { displayName } from '../mail/Row.tsx';
import { Empty, Failed, Skeleton } from '../parts/controls.tsx';
import { useNames } from '../parts/use-names.ts';
import { FormError } from '../parts/view-controls.tsx';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell, useView } from '../use-shell.ts';

const SHOWN = 50;

/** Asks for the message to compare with. It offers similar messages first, or the results of a search of all mail. */
export function PickOther({ messageId }: { readonly messageId: string }) {
  const shell = useShell();
  const [wanted, setWanted] = useState('');
  const query = wanted.trim();
  const arrives = ({ type }: { readonly type: string }) => type.startsWith('message.');
  const own = useLoaded(`compared ${messageId}`, () =>
    Promise.all([shell.api.getMessageContent(messageId), shell.api.getMessageFacts(messageId)]),
  );
  const found = useLoaded(
    `to compare ${messageId} ${query}`,
    async (signal) => {
      const { items } = await shell.api.messages(ALL_MAIL, { query, limit: SHOWN, before: null }, signal);
      const rows = items.map((item) => toWebRow(item, ''));
      const of =
        query === '' ? await mailsOfSender(shell, (await shell.api.getMessageContent(messageId)).from ?? '') : [];
      // A copy of the mail itself differs in nothing either.
      const own = [...rows, ...of].find(({ id }) => id === messageId)?.copyKey;
      const others = (some: readonly WebRow[]) => onePerMail(some).filter(({ copyKey }) => copyKey !== own);
      return { rows: others(rows), of: others(of) };
    },
    arrives,
  );
  if (own.failure !== null && own.value === null) return <Failed reason={own.failure} onRetry={own.reload} />;
  if (own.value === null) return <Skeleton slow={own.slow} />;
  const [content, { kind }] = own.value;
  const mail = { id: messageId, from: content.from ?? '', subject: content.subject ?? '' };
  const name = kind === 'sms' ? content.textBody : content.subject;
  const like = (found.value?.of ?? []).filter((row) => isLike(row, mail)).slice(0, SHOWN);
  const known = new Set([messageId, ...like.map(({ id }) => id)]);
  const others = (found.value?.rows ?? []).filter(({ id }) => !known.has(id));
  return (
    <div className="pick-other">
      <p>
        <strong>{nameOfMessage({ kind, subject: name }, 200)}</strong>{' '}
        <span className="faint">of {displayName(mail.from) || 'nobody'}</span>
      </p>
      <input
        type="search"
        aria-label="Search all mail"
        placeholder="Search all mail"
        autoComplete="off"
        spellCheck={false}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {found.failure !== null ? (
        <FormError reason={found.failure} />
      ) : found.value === null ? (
        <Skeleton slow={found.slow} />
      ) : like.length + others.length === 0 ? (
        <Empty icon="mail" title={query === '' ? 'There is no other message' : 'Nothing found'}>
          <p>{query === '' ? 'New mail appears here at once.' : 'No other message contains all of these words.'}</p>
        </Empty>
      ) : (
        <>
          <Choices title="Similar messages of the same sender" rows={like} messageId={messageId} />
          <Choices title={query === '' ? 'Newest' : 'Found'} rows={others} messageId={messageId} />
        </>
      )}
    </div>
  );
}

/** Keeps the newest copy of each mail, because the others differ in nothing. */
function onePerMail(rows: readonly WebRow[]): readonly WebRow[] {
  const seen = new Set<string>();
  return rows.filter(({ copyKey }) => !seen.has(copyKey) && seen.add(copyKey));
}

function Choices({
  title,
  rows,
  messageId,
}: {
  readonly title: string;
  readonly rows: readonly WebRow[];
  readonly messageId: string;
}) {
  const shell = useShell();
  const mailboxes = useView(({ mailboxes }) => mailboxes);
  const nameOf = useNames(rows);
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className="cards columns">
        {rows.map((row) => (
          <li key={row.id}>
            <a href={href(compareRoute(row.id, messageId))}>
              <strong>{nameOf(row, 160)}</strong>
              <span className="faint">
                {[
                  displayName(row.from) || 'nobody',
                  harmlessLine(mailboxes.find(({ id }) => id === row.mailboxId)?.name ?? '', 60),
                  saidMoment(row.receivedAt, shell.now()),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
