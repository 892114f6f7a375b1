import type { Command, WebCommand } from '../model/keys.ts';

/** A command for whatever part of the page knows what to do with it. */
export const COMMAND = 'mailcap-command';

/** Whoever shows something that commands are for. */
export function onCommand(act: (command: Command | WebCommand) => void): () => void {
  const listener = (event: Event) => {
    if (event instanceof CustomEvent) act(event.detail);
  };
  addEventListener(COMMAND, listener);
  return () => removeEventListener(COMMAND, listener);
}
