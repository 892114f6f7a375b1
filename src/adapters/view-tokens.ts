import { createViewToken, MAX_VIEWS, type View, type Views } from '../ports/server.ts';
import type { Random } from '../ports/system.ts';

/** Creates the views. They live in this process only. */
export function createViews(random: Random): Views {
  const views = new Map<string, View>();
  return {
    async open(view) {
      const token = createViewToken(random);
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
