import type { LinkFilter, SignatureScheme } from '../../src/client/index.ts';
import type { Addresses } from '../shared/environment.ts';
import type { ReceiverFilter } from '../shared/matchers.ts';

/** What `mailcap/vitest` adds to `expect`. */
export interface MailcapMatchers {
  /** Of a mailbox or a webhook: waits until something that matches has come; takes nothing from the waits that follow. */
  toHaveReceived(filter?: ReceiverFilter, options?: { readonly timeout?: number }): Promise<void>;
  /** Of a mailbox or a webhook: watches for so many milliseconds that nothing comes. */
  toStayEmpty(options: { readonly for: number }): Promise<void>;
  /** Of a message: a code that a person sees in it. */
  toHaveCode(code?: string | RegExp): void;
  /** Of a message: a link of that kind, or that a filter describes. */
  toHaveLink(filter?: LinkFilter): void;
  /** Of a message: an attachment of that file name. */
  toHaveAttachment(name: string | RegExp): void;
  /** Of a captured request. */
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
