import type { LinkFilter, SignatureScheme } from '../../src/client/index.ts';
import type { Addresses } from '../shared/environment.ts';
import type { ReceiverFilter } from '../shared/matchers.ts';

/** What `mailcap/vitest` adds to `expect`. */
export interface MailcapMatchers {
  /**
   * A mailbox or a webhook: waits until something that matches has come; takes nothing from the waits that follow.
   *
   * @example await expect(mailbox).toHaveReceived({ subject: 'Welcome' });
   */
  toHaveReceived(filter?: ReceiverFilter, options?: { readonly timeout?: number }): Promise<void>;
  /**
   * A mailbox or a webhook: watches for so many milliseconds that nothing comes.
   *
   * @example await expect(mailbox).toStayEmpty({ for: 500 });
   */
  toStayEmpty(options: { readonly for: number }): Promise<void>;
  /**
   * A message: a code that a person sees in it.
   *
   * @example expect(message).toHaveCode('234815');
   */
  toHaveCode(code?: string | RegExp): void;
  /**
   * A message: a link of that kind, or that a filter describes.
   *
   * @example expect(message).toHaveLink('verify');
   */
  toHaveLink(filter?: LinkFilter): void;
  /**
   * A message: an attachment of that file name.
   *
   * @example expect(message).toHaveAttachment('invoice.pdf');
   */
  toHaveAttachment(name: string | RegExp): void;
  /**
   * A captured request: a signature by the secret over its exact bytes.
   *
   * @example expect(request).toHaveValidSignature('stripe', secret);
   */
  toHaveValidSignature(scheme: SignatureScheme, secret: string): void;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: a declaration is merged with one of the same parameters
  interface Matchers<T = any> extends MailcapMatchers {}
  interface ProvidedContext {
    /** By `mailcap/vitest/global-setup`. */
    mailcap: Addresses | undefined;
  }
}
