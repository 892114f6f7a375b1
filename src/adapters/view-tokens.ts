import type { Random } from '../ports/random.ts';
import type { View, Views } from '../ports/views.ts';

const TOKEN_BYTES = 32;
/** The number of open views. A new one beyond it replaces the oldest. */
const MAX_VIEWS = 1_000;

/** Creates the views. They live in this process only. */
export function createViews(random: Random): Views {
  const views = new Map<string, View>();
  return {
    async open(view) {
      const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
      views.set(token, view);
      for (const oldest of views.keys()) {
        if (views.size <= MAX_VIEWS) break;
        views.delete(oldest);
      }
      return token;
    },
    async get(token, realNow) {
      const view = views.get(token);
      if (view === undefined) return null;
      if (view.expiresAt > realNow) return view;
      views.delete(token);
      return null;
    },
  };
}
