import type { Backend } from '../app/ports.ts';
import { pathWithQuery } from './fetch-backend.ts';

// The server embeds the answers to the page's first requests in the page, so that the list appears as soon as the code
// runs. A page that must send the admin token gets no answers.

interface First {
  /** The position in the feed at which the answers were made. */
  readonly since: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Returns the feed position of the first answers, and a backend that returns these answers without a request. */
export function withFirstAnswers(backend: Backend): { readonly since: string | null; readonly backend: Backend } {
  const text = document.getElementById('first')?.textContent ?? '';
  if (text === '') return { since: null, backend };
  // The server wrote this, so it has this type.
  const { since, answers } = JSON.parse(text) as First;
  const left = new Map(Object.entries(answers));
  // Each answer is used once, and only at the start, because it may be out of date later.
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
