import type { ShellApi } from './api.ts';
import { BackendError } from './ports.ts';
import type { OpenState } from './state.ts';

/** Loads a message for its view. A failure is a part of the result, as a sentence. */
export async function loadOpen(api: ShellApi, id: string, explain: (error: unknown) => string): Promise<OpenState> {
  try {
    const [facts, content] = await Promise.all([api.facts(id), api.content(id)]);
    return { id, facts, content, failure: null };
  } catch (error) {
    const failure =
      error instanceof BackendError && error.status === 404
        ? 'This message is gone: it was deleted, or its retention is over.'
        : explain(error);
    return { id, facts: null, content: null, failure };
  }
}
