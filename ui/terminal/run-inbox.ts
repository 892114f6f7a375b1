import { openBackend } from './shell/backend.ts';
import type { ShowOptions } from './show-inbox.tsx';

/** Shows the inbox on a terminal. Returns the exit code. Throws the errors of the client. */
export async function runInbox(options: Omit<ShowOptions, 'backend'>): Promise<number> {
  // The code of the view loads while the server answers, because loading takes longer.
  const view = import('./show-inbox.tsx');
  view.catch(() => {});
  const backend = await openBackend(options.connect());
  const { showInbox } = await view;
  return showInbox({ ...options, backend });
}
