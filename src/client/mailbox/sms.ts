import type { Api } from '../connection/caller.ts';
import type { TextFields, WholeMessage } from '../connection/local-resources.ts';
import type { CallOptions } from '../transport/transport.ts';
import { located } from '../waiting/call-site.ts';
import type { AnySummary } from './any-kind.ts';
import type { ArrivalsApi } from './arrivals.ts';
import type { Message } from './message.ts';

/** A text message. */
export interface SmsMessage
  extends Pick<Message, 'id' | 'receivedAt' | 'codes' | 'links' | 'code' | 'link' | 'raw' | 'delete'> {
  /**
   * The sender: a number such as `+15005550006`, a short code or a name.
   *
   * @example expect(sms.from).toBe('+15005550006');
   */
  readonly from: string;
  /** The number that it was sent to, in the form of E.164. */
  readonly to: string;
  /**
   * The text.
   *
   * @example expect(sms.body).toContain('is on its way');
   */
  readonly body: string;
  /**
   * Answers as the phone: the app gets the request of its provider, and `waitForSms` what the app answers. Throws a
   * RefusedError if no number of the app has a URL for its texts.
   *
   * @example await sms.reply('STOP');
   */
  reply(body: string, options?: Pick<SmsRequest, 'media'> & CallOptions): Promise<SentSms>;
}

/** A text message that a phone sends to the app. */
export type SmsRequest = TextFields;

/** A text message on its way to the app. */
export interface SentSms {
  /** The id that the provider gave it, such as a `MessageSid`. */
  readonly id: string;
  /** The number of the phone. */
  readonly from: string;
  /** The number of the app. */
  readonly to: string;
  /** The text. It is empty if only media were sent. */
  readonly body: string;
}

/** Sends a text message to the app. */
export type SendSms = (request: SmsRequest, options?: CallOptions) => Promise<SentSms>;

/** Returns a message as the text message that it is. */
export function smsOf(message: Message, send: SendSms): SmsMessage {
  const { id, receivedAt, from, envelopeFrom, to, text, code, link, raw, delete: remove } = message;
  const numbers = { from: envelopeFrom ?? `${from}`, to: to.join(', ') };
  return {
    ...{ id, receivedAt, code, link, raw, delete: remove },
    ...numbers,
    reply: located((body, { media, ...options } = {}) =>
      send({ from: numbers.to, to: numbers.from, body, media }, options),
    ),
    // The composed mail ends its last line.
    body: (text ?? '').replace(/\r?\n$/, ''),
    get codes() {
      return message.codes;
    },
    get links() {
      return message.links;
    },
  };
}

/** Returns the calls by which a handle reads a mailbox of the local API: text messages, or messages of any kind. */
export function arrivalsOfKind({ local }: Api, kind: 'sms' | 'any'): ArrivalsApi {
  return {
    listMessages: async (id, query, options) =>
      (await local.searchMessages(id, { ...query, kind, total: false }, options)).items,
    awaitMessage: async (id, query, options) => {
      const found = await local.awaitWholeMessage(id, { ...query, kind, count: undefined }, options);
      return found === null ? null : summaryOf(found);
    },
    getMessage: async (_id, id, options) => local.getMessageContent(id, options),
  };
}

function summaryOf({ id, kind, from, to, subject, receivedAt, sizeBytes, attachments }: WholeMessage): AnySummary {
  return { id, kind, from, to, subject, receivedAt, sizeBytes, attachmentCount: attachments.length };
}
