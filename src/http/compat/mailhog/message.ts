import { readFacts, readRaw, unlessGone } from '../../../actions/read-message.ts';
import type { Context } from '../../../context.ts';
import type { Facts, Message } from '../../../domain/message.ts';
import { contentOf } from './content.ts';

/** Reads a message as MailHog shows it, with all of its bytes. Null if it was deleted meanwhile. */
export function mailhogMessage(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const facts = await readFacts(ctx, message);
    const chunks: Buffer[] = [];
    for await (const chunk of readRaw(ctx, message)) chunks.push(chunk);
    // MailHog counts the line end before the final dot to the end of DATA, not to the message.
    const text = Buffer.concat(chunks).toString();
    const Data = text.endsWith('\r\n') ? text.slice(0, -2) : text;
    const { MIME, ...content } = contentOf(Data);
    return {
      ID: message.id,
      From: pathOf(message.mailFrom),
      To: message.rcptTo.map(pathOf),
      Content: { ...content, Headers: withTrace(ctx, content.Headers, message, facts), MIME: null },
      Created: new Date(message.receivedAt).toISOString(),
      MIME,
      Raw: { From: message.mailFrom, To: message.rcptTo, Data, Helo: facts.helo ?? '' },
    };
  });
}

function pathOf(address: string) {
  const at = address.indexOf('@');
  return {
    Relays: null,
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? '' : address.slice(at + 1),
    Params: '',
  };
}

/** Adds the fields that a receiving server writes. `Raw` is without them. */
function withTrace(
  { config }: Context,
  headers: Readonly<Record<string, readonly string[]>>,
  { id, mailFrom, receivedAt }: Message,
  { helo }: Facts,
): Record<string, readonly string[]> {
  const all: Record<string, readonly string[]> = Object.assign(Object.create(null), headers);
  const nameOf = (name: string) => Object.keys(all).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
  const add = (name: string, text: string) => {
    all[nameOf(name)] = [...(all[nameOf(name)] ?? []), text];
  };
  if (all[nameOf('Message-ID')] === undefined) add('Message-ID', id);
  const date = new Date(receivedAt).toUTCString().replace('GMT', '+0000');
  add('Received', `from ${helo ?? ''} by ${config.mailDomain} (mailcap)\r\n          id ${id}; ${date}`);
  add('Return-Path', `<${mailFrom}>`);
  return all;
}
