import type { MessageFrame, ShellApi } from './api.ts';
import { type KindsByHost, keptHosts } from './kept-hosts.ts';
import { BackendError, type Machine } from './ports.ts';
import type { AttachedState, OpenState } from './state.ts';

/** Returns the URL that shows the HTML of a message, or of a mail attached to it, alone and without remote content. */
export async function openHtml(api: ShellApi, id: string, attached: string | null): Promise<string> {
  return (await api.frame(id, attached, {})).url;
}

/** The page of the message that was opened last, until its view takes it. */
let ahead: { readonly key: string; readonly frame: Promise<MessageFrame> } | null = null;

/** Opens the page of a message. The first call for a message that was just opened takes the page that is under way. */
export function openFrame(api: ShellApi, id: string, attached: string | null, allowed: KindsByHost) {
  const key = keyOf(id, attached, allowed);
  const frame = ahead?.key === key ? ahead.frame : api.frame(id, attached, allowed);
  ahead = null;
  return frame;
}

function keyOf(id: string, attached: string | null, allowed: KindsByHost): string {
  return JSON.stringify([id, attached, allowed]);
}

interface Opener {
  readonly api: ShellApi;
  readonly machine: Machine;
  explain(error: unknown): string;
}

/** Opens a message. Most messages show their page first, so it is asked for at the same time. */
export function openMessage(shell: Opener, id: string): Promise<OpenState> {
  const allowed = keptHosts(shell.machine);
  const frame = shell.api.frame(id, null, allowed);
  // The view that takes it tells its failure.
  frame.catch(() => {});
  ahead = { key: keyOf(id, null, allowed), frame };
  return loadOpen(shell.api, id, (error) => shell.explain(error));
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
