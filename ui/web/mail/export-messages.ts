import { safeFileName } from '../../../src/text/file-name.ts';
import type { WebRow } from '../app/state.ts';
import { toWebRow } from '../app/state.ts';
import type { WebShell } from '../app/web-shell.ts';
import { type MboxMail, mboxOf } from './mbox.ts';

const PAGE = 200;

/** Loads the raw messages and saves them as one file. `rows` is null for the whole mailbox. */
export async function exportMessages(
  shell: WebShell,
  mailboxId: string,
  rows: readonly WebRow[] | null,
): Promise<void> {
  const chosen = rows ?? (await allRows(shell, mailboxId));
  const [first] = chosen;
  if (first === undefined) return;
  if (chosen.length === 1) {
    saveMail(shell, first.subject, await shell.api.getRawMessage(first.id));
    return;
  }
  const mails: MboxMail[] = [];
  for (const row of [...chosen].reverse()) {
    mails.push({ from: row.from, receivedAt: row.receivedAt, raw: await shell.api.getRawMessage(row.id) });
    if (mails.length % 25 === 0) shell.say(`Exporting: ${mails.length} of ${chosen.length}`);
  }
  const name = shell.state.value.mailboxes.find(({ id }) => id === mailboxId)?.subdomain ?? 'mailbox';
  shell.machine.save(`${safeFileName(name, 'mailbox')}.mbox`, new Blob(mboxOf(mails), { type: 'application/mbox' }));
  shell.say(`Exported ${chosen.length} messages`, 'good');
}

/** Loads a mail that is attached to a message, and saves it as a file. */
export async function exportAttached(
  shell: WebShell,
  messageId: string,
  id: string,
  subject: string | null,
): Promise<void> {
  saveMail(shell, subject ?? '', await shell.api.getAttachment(messageId, id));
}

function saveMail(shell: WebShell, subject: string, bytes: Uint8Array<ArrayBuffer>): void {
  shell.machine.save(`${safeFileName(subject, 'message')}.eml`, new Blob([bytes], { type: 'message/rfc822' }));
}

async function allRows(shell: WebShell, mailboxId: string): Promise<WebRow[]> {
  const rows: WebRow[] = [];
  for (;;) {
    const page = await shell.api.messages(mailboxId, { limit: PAGE, before: rows.at(-1)?.id ?? null });
    rows.push(...page.items.map((row) => toWebRow(row, mailboxId)));
    if (page.next === null) return rows;
  }
}
