import type { MailcapTasks } from './tasks.ts';

type Timed = Partial<{ timeout: number; log: boolean }>;
type Arg<Name extends keyof MailcapTasks> = Parameters<MailcapTasks[Name]>[0];
type Result<Name extends keyof MailcapTasks> = Awaited<ReturnType<MailcapTasks[Name]>>;

/** The names of the tasks, which `cy.task` is typed for. */
export type CyTasks = keyof MailcapTasks;

declare global {
  // Cypress merges its types with this namespace. Each task has an overload with its literal name, because merged
  // overloads with a literal name come before those with any name.
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: a merged declaration must have the same type parameters
    interface Chainable<Subject = any> {
      /** Creates a mailbox for the test. Resolves with its `id` for the other tasks and its `address`. */
      task(
        name: 'mailcap:mailbox',
        arg?: Arg<'mailcap:mailbox'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:mailbox'>>;
      /** Sends a mail by SMTP, as the app would. */
      task(name: 'mailcap:send', arg: Arg<'mailcap:send'>, options?: Timed): Chainable<Result<'mailcap:send'>>;
      /** Waits for the one message that matches. Fails after `timeout` (10,000 ms by default). */
      task(name: 'mailcap:message', arg: Arg<'mailcap:message'>, options?: Timed): Chainable<Result<'mailcap:message'>>;
      /** Waits for the one message that matches, and resolves with its code. */
      task(name: 'mailcap:code', arg: Arg<'mailcap:code'>, options?: Timed): Chainable<Result<'mailcap:code'>>;
      /** Waits for the one message that matches, and resolves with the URL of its link, for `cy.visit`. */
      task(name: 'mailcap:link', arg: Arg<'mailcap:link'>, options?: Timed): Chainable<Result<'mailcap:link'>>;
      /** Resolves with all messages that match and exist now, oldest first. */
      task(
        name: 'mailcap:messages',
        arg: Arg<'mailcap:messages'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:messages'>>;
      /** Watches for `for` milliseconds, and fails if a matching message comes. */
      task(
        name: 'mailcap:noMessage',
        arg: Arg<'mailcap:noMessage'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:noMessage'>>;
      /** Creates a webhook for the test. Resolves with its `id` for the other tasks and its `url`. */
      task(
        name: 'mailcap:webhook',
        arg?: Arg<'mailcap:webhook'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:webhook'>>;
      /** Waits for the one captured request that matches. */
      task(name: 'mailcap:request', arg: Arg<'mailcap:request'>, options?: Timed): Chainable<Result<'mailcap:request'>>;
      /** Makes the server fail on purpose, until `mailcap:removeFaults`. Resolves with the `id` of the rule. */
      task(
        name: 'mailcap:addFault',
        arg: Arg<'mailcap:addFault'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:addFault'>>;
      /** Removes the fault rules that `mailcap:addFault` added, and no others. Call it in `afterEach`. */
      task(
        name: 'mailcap:removeFaults',
        arg?: Arg<'mailcap:removeFaults'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:removeFaults'>>;
      /** Sets the clock of the workspace that the tests use. Null sets it back; call it in `afterEach`. */
      task(
        name: 'mailcap:setClock',
        arg: Arg<'mailcap:setClock'>,
        options?: Timed,
      ): Chainable<Result<'mailcap:setClock'>>;
      /** Resolves with the TOTP code of a base32 secret or an `otpauth://` URI. */
      task(name: 'mailcap:totp', arg: Arg<'mailcap:totp'>, options?: Timed): Chainable<Result<'mailcap:totp'>>;
    }
  }
}
