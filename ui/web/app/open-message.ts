import type { ShellApi } from './api.ts';
import { BackendError } from './ports.ts';
import type { AttachedState, OpenState } from './state.ts';

/** Returns the URL that shows the HTML of a message, or of a mail attached to it, alone and without remote content. */
export async function openHtml(api: ShellApi, id: string, attached: string | null): Promise<string> {
  return (await api.frame(id, attached, {})).url;
}

/** Loads a message for its view. It never rejects: a failure is a sentence in the result. */
export async function loadOpen(api: ShellApi, id: string, explain: (error: unknown) => string): Promise<OpenState> {
  try {
    const [facts, content] = await Promise.all([api.getMessageFacts(id), api.getMessageContent(id)]);
    return { id, facts, content, failure: null };
  } catch (error) {
    const gone = error instanceof BackendError && error.status === 404;
    const failure = gone
      ? 'This message no longer exists: it was deleted, or its retention has ended.'
      : explain(error);
    return { id, facts: null, content: null, failure, gone };
  }
}

/** Loads an attached mail for its view. It never rejects: a failure is a sentence in the result. */
export async function loadAttached(
  api: ShellApi,
  messageId: string,
  id: string,
  explain: (error: unknown) => string,
): Promise<AttachedState> {
  try {
    return { messageId, id, mail: await api.getAttachedMail(messageId, id), failure: null };
  } catch (error) {
    const failure =
      error instanceof BackendError && error.status === 404
        ? 'There is no such attached mail. Mails are read through at most ten mails within one another.'
        : explain(error);
    return { messageId, id, mail: null, failure };
  }
}
