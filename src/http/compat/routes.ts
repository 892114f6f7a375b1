import type { CompatName } from '../../config/options.ts';
import type { ErrorForm } from '../exchange.ts';
import type { Anyone, Endpoint } from '../route.ts';
import type { CompatSocket } from './events.ts';
import { inbucketError, inbucketRoutes, inbucketSockets } from './inbucket.ts';
import { mailcatcherError, mailcatcherRoutes, mailcatcherSocket } from './mailcatcher.ts';
import { maildevError, maildevRoutes } from './maildev.ts';
import { mailhogError, mailhogRoutes, mailhogSocket } from './mailhog.ts';
import { mailpitError, mailpitRoutes } from './mailpit.ts';
import { mailpitSocket } from './mailpit-events.ts';
import { mailslurperError, mailslurperRoutes } from './mailslurper.ts';
import { smtp4devError, smtp4devRoutes } from './smtp4dev.ts';

/** The API of another catcher. */
interface CompatApi {
  readonly routes: readonly Endpoint<Anyone>[];
  /** The WebSockets. */
  readonly sockets: readonly CompatSocket[];
  /** How it writes the errors of its routes. */
  readonly errorForm: ErrorForm;
}

/**
 * The APIs, in the order of `--compat`. If two share a path, as Mailpit and version 1 of MailHog's do, the first one that
 * is named serves it (docs/from-mailpit.md#paths).
 */
const APIS: Readonly<Record<CompatName, CompatApi>> = {
  mailpit: { routes: mailpitRoutes, sockets: [mailpitSocket], errorForm: mailpitError },
  mailhog: { routes: mailhogRoutes, sockets: [mailhogSocket], errorForm: mailhogError },
  maildev: { routes: maildevRoutes, sockets: [], errorForm: maildevError },
  mailcatcher: { routes: mailcatcherRoutes, sockets: [mailcatcherSocket], errorForm: mailcatcherError },
  inbucket: { routes: inbucketRoutes, sockets: inbucketSockets, errorForm: inbucketError },
  mailslurper: { routes: mailslurperRoutes, sockets: [], errorForm: mailslurperError },
  smtp4dev: { routes: smtp4devRoutes, sockets: [], errorForm: smtp4devError },
};

/** Returns the routes of the named APIs. */
export function compatRoutes(names: readonly CompatName[]): readonly Endpoint<Anyone>[] {
  const routes = new Map<string, Endpoint<Anyone>>();
  for (const name of names) {
    for (const route of APIS[name].routes) {
      const key = `${route.method} ${route.path}`;
      if (!routes.has(key)) routes.set(key, withErrors(route, APIS[name].errorForm));
    }
  }
  return [...routes.values()];
}

/** Returns the WebSockets of the named APIs. */
export function compatSockets(names: readonly CompatName[]): readonly CompatSocket[] {
  return names.flatMap((name) => APIS[name].sockets);
}

function withErrors(route: Endpoint<Anyone>, errorForm: ErrorForm): Endpoint<Anyone> {
  return {
    ...route,
    run: (ctx, exchange, who) => {
      exchange.errorForm = errorForm;
      // Over plain HTTP, browsers say nothing about the page that loads an image or a script. These APIs have paths that
      // anybody knows, such as that of the newest message.
      if (ctx.config.allowedOrigins.length === 0) exchange.headers.push('Cross-Origin-Resource-Policy', 'same-origin');
      return route.run(ctx, exchange, who);
    },
  };
}
