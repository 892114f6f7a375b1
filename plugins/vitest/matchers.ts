import type { CheckMessageQuery, LinkFilter, SignatureScheme } from '../../src/client/index.ts';
import type { AnnouncedAddresses } from '../shared/environment.ts';
import type { ReceiverFilter } from '../shared/matchers.ts';

/** The matchers that `mailcap/vitest` adds to `expect`. */
export interface MailcapMatchers {
  /**
   * Waits until a mailbox or a webhook has received a message or request that matches. `timeout` is 10,000 ms
   * by default. It takes nothing from later waits. Under `not` it looks once, without waiting, at what has come.
   *
   * @example await expect(mailbox).toHaveReceived({ subject: 'Welcome' });
   */
  toHaveReceived(filter?: ReceiverFilter, options?: { readonly timeout?: number }): Promise<void>;
  /**
   * Watches a mailbox or a webhook for `for` milliseconds, and fails if anything comes or is there already.
   *
   * @example await expect(mailbox).toStayEmpty({ for: 500 });
   */
  toStayEmpty(options: { readonly for: number }): Promise<void>;
  /**
   * Checks that a message has a visible code: the given one, or any if left out.
   *
   * @example expect(message).toHaveCode('234815');
   */
  toHaveCode(code?: string | RegExp): void;
  /**
   * Checks that a message has a link of a kind, a link that matches a filter, or without either a link to follow.
   *
   * @example expect(message).toHaveLink('verify');
   */
  toHaveLink(filter?: LinkFilter): void;
  /**
   * Checks that a message has an attachment with this file name, in any case.
   *
   * @example expect(message).toHaveAttachment('invoice.pdf');
   */
  toHaveAttachment(name: string | RegExp): void;
  /**
   * Checks that a message has no faults that its readers would notice: support by mail clients, links, placeholders,
   * unsubscribing, accessibility, size, headers and authentication. Errors and warnings fail, notes do not. `allow`
   * names rules to ignore.
   *
   * @example await expect(message).toPassEmailChecks({ clients: ['gmail', 'outlook'], allow: ['link-http'] });
   */
  toPassEmailChecks(options?: CheckMessageQuery): Promise<void>;
  /**
   * Checks that a reader can unsubscribe with one click (RFC 8058).
   *
   * @example await expect(message).toBeUnsubscribable();
   */
  toBeUnsubscribable(): Promise<void>;
  /**
   * Checks that Gmail shows the whole HTML. Gmail clips HTML after about 102 KB.
   *
   * @example await expect(message).toFitGmail();
   */
  toFitGmail(): Promise<void>;
  /**
   * Checks that the secret signed the exact bytes of a captured request.
   *
   * @example expect(request).toHaveValidSignature('stripe', secret);
   */
  toHaveValidSignature(scheme: SignatureScheme, secret: string): void;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: a merged declaration must have the same type parameters
  interface Matchers<T = any> extends MailcapMatchers {}
  interface ProvidedContext {
    /** The addresses that `mailcap/vitest/global-setup` provides; undefined without it. */
    mailcap: AnnouncedAddresses | undefined;
  }
}
