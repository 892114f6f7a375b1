import { saidCount } from '../../../src/text/said.ts';
import { askDelete, calledMessage, saidDeleted } from '../../../src/text/wording.ts';
import { BackendError } from './ports.ts';
import type { WebRow } from './state.ts';
import type { WebShell } from './web-shell.ts';

/** Opens a dialog that asks before it deletes messages. */
export function askToDelete(shell: WebShell, rows: readonly WebRow[]): void {
  const [first] = rows;
  if (first === undefined) return;
  const what = rows.length === 1 ? calledMessage(first) : saidCount(rows.length, 'message');
  shell.show({
    kind: 'confirm',
    question: askDelete(what),
    detail: 'This also deletes the attachments. It can not be undone.',
    yes: 'Delete',
    act: () => {
      shell.show(null);
      void deleteMessages(shell, rows, what);
    },
  });
}

async function deleteMessages(shell: WebShell, rows: readonly WebRow[], what: string): Promise<void> {
  const { open, route } = shell.state.value;
  const ids = new Set(rows.map(({ id }) => id));
  const deleted = await shell.attempt(async () => {
    for (const { id } of rows)
      await shell.api.deleteMessage(id).catch((error: unknown) => {
        // A 404 means that the message is deleted already, which is the goal.
        if (!(error instanceof BackendError && error.status === 404)) throw error;
      });
    return true;
  }, saidDeleted(what));
  if (deleted === null) return;
  shell.mail.gone((id) => ids.has(id));
  if (open !== null && ids.has(open.id) && route.at === 'mail')
    shell.go({ ...route, messageId: null, tab: null, attached: null }, { replace: true });
}
