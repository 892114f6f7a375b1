import { saidCount } from '../../../src/text/said.ts';
import { CALLED } from '../../../src/text/wording.ts';
import { askToDelete } from '../app/ask-to-delete.ts';
import { useShell, useView } from '../use-shell.ts';
import { saveMessages } from './save-messages.ts';

/** The actions on a whole mailbox. */
export function MailboxActions({ id }: { readonly id: string }) {
  const shell = useShell();
  const mailbox = useView(({ mailboxes }) => mailboxes.find((one) => one.id === id) ?? null);
  if (mailbox === null) return null;
  const { name, seeded, messageCount } = mailbox;
  const messages = saidCount(messageCount, 'message');
  return (
    <>
      <button type="button" onClick={() => shell.show({ kind: 'mailbox', id })}>
        Settings
      </button>
      <a href="#/outbound/compose">Write a mail</a>
      <a href={`#/why/${id}`}>Why did no mail arrive?</a>
      <a href={`#/timeline?mailbox=${id}`}>Its timeline</a>
      <button type="button" onClick={() => void saveMessages(shell, id, null)} disabled={messageCount === 0}>
        Export all (.mbox)
      </button>
      <button
        type="button"
        className="danger-text"
        disabled={messageCount === 0}
        onClick={() =>
          askToDelete(shell, {
            what: CALLED.messagesIn(messages, name),
            detail: 'This also deletes the attachments. It can not be undone.',
            yes: 'Delete all',
            remove: () => shell.api.clearMailbox(id),
          })
        }
      >
        Delete all messages
      </button>
      {!seeded && (
        <button
          type="button"
          className="danger-text"
          onClick={() =>
            askToDelete(shell, {
              what: CALLED.mailbox(name, messages),
              detail: 'A test that still uses it will fail.',
              yes: 'Delete the mailbox',
              remove: () => shell.api.deleteMailbox(id),
            })
          }
        >
          Delete the mailbox
        </button>
      )}
    </>
  );
}
