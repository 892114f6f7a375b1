import type { WebRow } from '../../shell/state.ts';
import type { WebShell } from '../../shell/web-shell.ts';
import { loadCode } from '../machine/load-code.ts';

/** Saves one message as `.eml`, or several as one `.mbox`. `rows` is null for the whole mailbox. */
export async function saveMessages(shell: WebShell, mailboxId: string, rows: readonly WebRow[] | null): Promise<void> {
  await shell.attempt(async () => {
    const { exportMessages } = await loadCode(() => import('./export-messages.ts'));
    await exportMessages(shell, mailboxId, rows);
  });
}
