import type { CompatName } from '../../config/options.ts';
import type { Anyone, Endpoint } from '../route.ts';
import { maildevRoutes } from './maildev.ts';
import { mailhogRoutes } from './mailhog.ts';
import { mailpitRoutes } from './mailpit.ts';

/**
 * The routes of each API. If two APIs share a path, as Mailpit and version 1 of MailHog's do, the first one in this
 * table serves it.
 */
const ROUTES: Readonly<Record<CompatName, readonly Endpoint<Anyone>[]>> = {
  mailpit: mailpitRoutes,
  mailhog: mailhogRoutes,
  maildev: maildevRoutes,
};

/** Returns the routes of the named APIs. */
export function compatRoutes(names: readonly CompatName[]): readonly Endpoint<Anyone>[] {
  const routes = new Map<string, Endpoint<Anyone>>();
  for (const name of names) {
    for (const route of ROUTES[name]) {
      const key = `${route.method} ${route.path}`;
      if (!routes.has(key)) routes.set(key, route);
    }
  }
  return [...routes.values()];
}
