import { harmlessLine } from '../../../src/text/harmless.ts';
import { ALL_MAIL } from '../app/api.ts';
import { mailboxRoute } from '../app/route.ts';
import type { ListState } from '../app/state.ts';
import { Button, Empty } from '../parts/controls.tsx';
import { href, useShell, useView } from '../use-shell.ts';
import { FirstMail } from './FirstMail.tsx';

/** Says that the mailbox does not exist anymore, for example because its test has ended. */
export function MailboxGone() {
  return (
    <Empty icon="inbox" title="This mailbox was deleted">
      <p>
        A test deletes its mailbox when it ends. That of a failed test stays until the next run. The report of a failed
        test contains the mail.
      </p>
      <p>
        <a href={href({ at: 'runs', runId: null, testId: null })}>Show the runs</a>
      </p>
    </Empty>
  );
}

/** Says why a list is empty, and what to do next. */
export function NoRows({ mail: { query, mailboxId, cutOffAt } }: { readonly mail: ListState }) {
  const shell = useShell();
  const mailbox = useView(({ mailboxes }) => mailboxes.find(({ id }) => id === mailboxId) ?? null);
  if (cutOffAt !== null)
    return (
      <Empty icon="search" title="Nothing found so far">
        <p>The search reads whole mails. It has read only the newest ones.</p>
        <Button onClick={() => shell.mail.searchOn()}>Search further back</Button>
      </Empty>
    );
  if (query !== '')
    return (
      <Empty icon="search" title="Nothing found">
        <p>
          No message here matches <code>{harmlessLine(query, 80)}</code>. New mail that matches appears at once.
        </p>
        <Button onClick={() => shell.go(mailboxRoute(mailboxId))}>Show all</Button>
      </Empty>
    );
  return mailbox?.seeded || mailboxId === ALL_MAIL ? (
    <FirstMail />
  ) : (
    <Empty icon="inbox" title="No mail here yet">
      <p>
        Mail to <code>{mailbox?.address ?? 'this mailbox'}</code> appears here at once.
      </p>
      <p>
        <a href={`#/why/${mailboxId}`}>Why did no mail arrive?</a>
      </p>
    </Empty>
  );
}
