import type { InboxCommand, WebCommand } from '../model/keys.ts';

/** The event that carries a command to the page that handles it. */
export const COMMAND = 'mailcap-command';

/** The event that switches the shown mails to the next width. */
export const NEXT_WIDTH = 'mailcap-next-width';

/** The event that opens the search in a message. */
export const FIND = 'mailcap-find';

/** The event that goes to the next match of that search, or back. An open search takes it by `preventDefault`. */
export const FIND_STEP = 'mailcap-find-step';

/** Listens for commands. The returned function stops listening. */
export function onCommand(act: (command: InboxCommand | WebCommand) => void): () => void {
  const listener = (event: Event) => {
    if (event instanceof CustomEvent) act(event.detail);
  };
  addEventListener(COMMAND, listener);
  return () => removeEventListener(COMMAND, listener);
}
