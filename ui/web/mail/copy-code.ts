import type { WebRow } from '../app/state.ts';
import type { WebShell } from '../app/web-shell.ts';

/** Copies the code of a message, or of the attached mail that is open. */
export async function copyCode(shell: WebShell, row: WebRow, place: 'messages' | 'message'): Promise<void> {
  const found = await shell.attempt(() => codesOf(shell, row, place));
  const code = found?.[0];
  if (code !== undefined) await shell.copy(code, `the code: ${code}`);
  else if (found !== null) shell.say('This message has no code.');
}

/** Returns the codes of a row, or of the attached mail that is open. It asks the server for what is not loaded yet. */
async function codesOf(shell: WebShell, { id }: WebRow, place: 'messages' | 'message'): Promise<readonly string[]> {
  const { open, mail, attached } = shell.state.value;
  if (place === 'message' && attached !== null) {
    const inner = attached.mail ?? (await shell.api.getAttachedMail(attached.messageId, attached.id));
    return inner.codes.map(({ code }) => code);
  }
  if (open?.id === id && open.facts) return open.facts.codes.map(({ code }) => code);
  const preview = mail?.previews.get(id) ?? (await shell.api.getMessagePreviews({ ids: [id] }))[0];
  return preview?.codes ?? [];
}
