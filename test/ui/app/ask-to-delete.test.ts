import { expect, test } from 'vitest';
import { askToDelete } from '../../../ui/web/app/ask-to-delete.ts';
import type { WebOverlay } from '../../../ui/web/app/state.ts';

/** Asks for the deletion of a webhook, says yes, and returns what the page says and whether it goes on. */
async function answered(remove: () => Promise<unknown>) {
  const said: (string | undefined)[] = [];
  const shown: (WebOverlay | null)[] = [];
  let isDone = false;
  const shell = {
    show: (overlay: WebOverlay | null) => void shown.push(overlay),
    attempt: async <T>(act: () => Promise<T>, done?: string): Promise<T | null> => {
      const result = await act().catch(() => null);
      said.push(result === null ? 'failed' : done);
      return result;
    },
  };
  const done = () => {
    isDone = true;
  };
  askToDelete(shell, { what: 'webhook “pay”', detail: 'Its URL will answer 404.', remove, done });
  const [question] = shown;
  if (question?.kind !== 'confirm') throw new Error('nothing was asked');
  expect(said).toEqual([]);
  question.act();
  await expect.poll(() => said.length).toBe(1);
  return { question, said, isDone: () => isDone };
}

test('a thing is deleted after a yes, and then the page goes on, whatever the server answers', async () => {
  const { question, said, isDone } = await answered(async () => null);
  expect(question).toMatchObject({
    question: 'Delete webhook “pay”?',
    detail: 'Its URL will answer 404.',
    yes: 'Delete',
  });
  await expect.poll(isDone).toBe(true);
  expect(said).toEqual(['Webhook “pay” deleted.']);
});

test('the page stays where it is if a thing could not be deleted', async () => {
  const { said, isDone } = await answered(() => Promise.reject(new Error('the server is away')));
  expect(said).toEqual(['failed']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDone()).toBe(false);
});
