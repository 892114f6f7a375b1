import { parsePhone, phoneOf, WHATSAPP } from '../../domain/phone.ts';
import { senderIn } from '../texts.ts';

// The addresses of Twilio's messages: numbers, short codes and names, and numbers of WhatsApp
// (https://www.twilio.com/docs/whatsapp/api).

export function isWhatsapp(address: string): boolean {
  return address.startsWith(WHATSAPP);
}

/** Reads a recipient: a number, with `whatsapp:` before it for WhatsApp. Returns null for anything else. */
export function recipientIn(text: string): string | null {
  const number = parsePhone(phoneOf(text));
  return number === null ? null : (isWhatsapp(text) ? WHATSAPP : '') + number;
}

/** Reads a sender: one may also be a short code or a name, but not at WhatsApp. */
export function addressOfSender(text: string): string | null {
  return isWhatsapp(text) ? recipientIn(text) : senderIn(text);
}
