import { askDelete, saidDeleted } from '../../../src/text/wording.ts';
import type { WebShell } from './web-shell.ts';

/** A deletion that a reader asked for. */
interface WantedDeletion {
  /** Names the thing in the question and in the notice. */
  readonly what: string;
  /** The other consequences of the deletion. */
  readonly detail: string;
  /** The name of the button. */
  readonly yes?: string;
  readonly remove: () => Promise<unknown>;
  /** The function that is called after the server has deleted it. */
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
