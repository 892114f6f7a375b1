import type { ShellApi } from './api.ts';
import { BackendError } from './ports.ts';
import type { OpenState } from './state.ts';

/** Loads a message for its view. It never rejects: a failure is a sentence in the result. */
export async function loadOpen(api: ShellApi, id: string, explain: (error: unknown) => string): Promise<OpenState> {
  try {
    const [facts, content] = await Promise.all([api.facts(id), api.content(id)]);
    return { id, facts, content, failure: null };
  } catch (error) {
    const failure =
      error instanceof BackendError && error.status === 404
        ? 'This message no longer exists: it was deleted, or its retention has ended.'
        : explain(error);
    return { id, facts: null, content: null, failure };
  }
}
