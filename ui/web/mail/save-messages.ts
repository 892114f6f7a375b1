import type { WebRow } from '../app/state.ts';
import type { WebShell } from '../app/web-shell.ts';
import { loadCode } from '../machine/load-code.ts';

/** Saves one message as `.eml`, or several as one `.mbox`. `rows` is null for the whole mailbox. */
export async function saveMessages(shell: WebShell, mailboxId: string, rows: readonly WebRow[] | null): Promise<void> {
  await shell.attempt(async () => {
    const { exportMessages } = await loadCode(() => import('./export-messages.ts'));
    await exportMessages(shell, mailboxId, rows);
  });
}

/** Saves a mail that is attached to a message as `.eml`. */
export async function saveAttached(
  shell: WebShell,
  messageId: string,
  id: string,
  subject: string | null,
): Promise<void> {
  await shell.attempt(async () => {
    const { exportAttached } = await loadCode(() => import('./export-messages.ts'));
    await exportAttached(shell, messageId, id, subject);
  });
}
