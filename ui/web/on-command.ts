import type { InboxCommand, WebCommand } from '../model/keys.ts';

/** The event that carries a command to the page that handles it. */
export const COMMAND = 'mailcap-command';

/** The event that switches the shown mails to the next width. */
export const NEXT_WIDTH = 'mailcap-next-width';

/** Listens for commands. The returned function stops listening. */
export function onCommand(act: (command: InboxCommand | WebCommand) => void): () => void {
  const listener = (event: Event) => {
    if (event instanceof CustomEvent) act(event.detail);
  };
  addEventListener(COMMAND, listener);
  return () => removeEventListener(COMMAND, listener);
}
