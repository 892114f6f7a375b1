import type { Random } from '../../ports/random.ts';
import { createViewToken, MAX_VIEWS, type View, type Views } from '../../ports/views.ts';
import { documentOf, type RunStatement, statement } from './connection.ts';

const OPEN = statement(
  'open view',
  `with old as (delete from views where token in (select token from views order by expires_at desc offset $4))
   insert into views (token, expires_at, row) values ($1, $2, $3)`,
);
const GET = statement('get view', 'select row from views where token = $1 and expires_at > $2::float8');

/** Creates the views of all servers. A link from one server opens on every server. */
export function sharedViews(query: RunStatement, random: Random): Views {
  return {
    async open(view) {
      const token = createViewToken(random);
      await query(OPEN, [token, view.expiresAt, JSON.stringify(view), MAX_VIEWS - 1]);
      return token;
    },
    async get(token, realNow) {
      // PostgreSQL throws on a text with NUL. All tokens match this pattern.
      if (!/^[\w-]{1,64}$/.test(token)) return null;
      const [row] = await query(GET, [token, realNow]);
      return row === undefined ? null : documentOf<View>(row);
    },
  };
}
