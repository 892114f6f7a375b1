import { askDelete, saidDeleted } from '../../../src/text/wording.ts';
import type { WebShell } from './web-shell.ts';

/** What a reader wants to delete. */
interface WantedDeletion {
  /** Names the thing in the question and in the notice. */
  readonly what: string;
  /** What else the deletion means. */
  readonly detail: string;
  /** The name of the button. */
  readonly yes?: string;
  readonly remove: () => Promise<unknown>;
  /** Is called after the server has deleted it. */
  readonly done?: () => void;
}

/** Asks whether a thing may be deleted. Then deletes it and says so, or says why it is still there. */
export function askToDelete(
  shell: Pick<WebShell, 'show' | 'attempt'>,
  { what, detail, yes = 'Delete', remove, done = () => {} }: WantedDeletion,
): void {
  const act = async () => {
    const isDeleted = await shell.attempt(() => remove().then(() => true), saidDeleted(what));
    if (isDeleted) done();
  };
  shell.show({ kind: 'confirm', question: askDelete(what), detail, yes, act: () => void act() });
}
