import type { Backend } from '../../shell/ports.ts';
import { pathWithQuery } from './fetch-backend.ts';

// The server puts the answers to the first questions of the page into the page itself, so that the list stands as soon
// as the code runs. A page that has to show the admin token gets none.

interface First {
  /** The position in the feed at which the answers were made. */
  readonly since: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Returns the position in the feed from which the page follows it, and a backend that knows the first answers. */
export function withFirstAnswers(backend: Backend): { readonly since: string | null; readonly backend: Backend } {
  const text = document.getElementById('first')?.textContent ?? '';
  if (text === '') return { since: null, backend };
  // The server wrote this, so it has this type.
  const { since, answers } = JSON.parse(text) as First;
  const left = new Map(Object.entries(answers));
  // An answer is given once and at once: later the server may know more.
  setTimeout(() => left.clear());
  return {
    since,
    backend: {
      ...backend,
      async get<T>(path: string, query = {}, signal?: AbortSignal): Promise<T> {
        const asked = pathWithQuery(path, query);
        if (!left.has(asked)) return backend.get<T>(path, query, signal);
        const answer = left.get(asked);
        left.delete(asked);
        return answer as T;
      },
    },
  };
}
