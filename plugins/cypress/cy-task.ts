import type { MailcapTasks } from './tasks.ts';

type Timed = Partial<{ timeout: number; log: boolean }>;
type Arg<Name extends keyof MailcapTasks> = Parameters<MailcapTasks[Name]>[0];
type Result<Name extends keyof MailcapTasks> = Awaited<ReturnType<MailcapTasks[Name]>>;

/** The names of the tasks that `cy.task` has types for. */
export type CyTasks = keyof MailcapTasks;

declare global {
  // Cypress's own namespace, which its types are merged with. Each name is written out: of overloads that are merged, those of
  // one text go before those of any.
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: a declaration is merged with one of the same parameters
    interface Chainable<Subject = any> {
      /** Makes a mailbox for the test. */
      task(
        name: 'mailcap:mailbox',
        arg?: Arg<'mailcap:mailbox'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:mailbox'>>;
      /** Waits for one message. */
      task(name: 'mailcap:message', arg: Arg<'mailcap:message'>, options?: Timed): Chainable<Result<'mailcap:message'>>;
      /** Waits for the code in one message. */
      task(name: 'mailcap:code', arg: Arg<'mailcap:code'>, options?: Timed): Chainable<Result<'mailcap:code'>>;
      /** Waits for the link in one message, for `cy.visit`. */
      task(name: 'mailcap:link', arg: Arg<'mailcap:link'>, options?: Timed): Chainable<Result<'mailcap:link'>>;
      /** Tells all messages that match and are there now. */
      task(
        name: 'mailcap:messages',
        arg: Arg<'mailcap:messages'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:messages'>>;
      /** Watches for so many milliseconds that no message comes. */
      task(
        name: 'mailcap:noMessage',
        arg: Arg<'mailcap:noMessage'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:noMessage'>>;
      /** Makes a webhook for the test. */
      task(
        name: 'mailcap:webhook',
        arg?: Arg<'mailcap:webhook'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:webhook'>>;
      /** Waits for one captured request. */
      task(name: 'mailcap:request', arg: Arg<'mailcap:request'>, options?: Timed): Chainable<Result<'mailcap:request'>>;
      /** The code of a second factor. */
      task(name: 'mailcap:totp', arg: Arg<'mailcap:totp'>, options?: Timed): Chainable<Result<'mailcap:totp'>>;
    }
  }
}
