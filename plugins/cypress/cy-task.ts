import type { MailcapTasks } from './tasks.ts';

type Timed = { readonly timeout?: number; readonly log?: boolean };

declare global {
  // Cypress's own namespace, which its types are merged with.
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: a declaration is merged with one of the same parameters
    interface Chainable<Subject = any> {
      /** A task of `mailcap/cypress`. */
      task<Name extends keyof MailcapTasks>(
        name: Name,
        arg?: Parameters<MailcapTasks[Name]>[0],
        options?: Partial<Timed>,
      ): Chainable<Awaited<ReturnType<MailcapTasks[Name]>>>;
    }
  }
}
