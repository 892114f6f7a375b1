// Phone numbers and text messages (docs/text-messages.md).

const SEPARATORS = /[\s().\u00a0\u2010-\u2015-]/g;

/**
 * Parses a phone number into the form of E.164: a plus sign and 7 to 15 digits. It accepts spaces, hyphens, dots and
 * parentheses between the digits, and `00` or `tel:` in front. Returns null for a number without a country code and for
 * any other text.
 */
export function parsePhone(text: string): string | null {
  if (text.length > 40) return null;
  const plain = text.replace(/^tel:/i, '').replace(SEPARATORS, '').replace(/^00/, '+');
  return /^\+[1-9]\d{6,14}$/.test(plain) ? plain : null;
}

/** The channel before a number at WhatsApp, as providers write it. */
export const WHATSAPP = 'whatsapp:';

/** Returns the number of an address without its channel. */
export function phoneOf(address: string): string {
  return address.startsWith(WHATSAPP) ? address.slice(WHATSAPP.length) : address;
}

/** Tells whether a text can be the sender of a text message: a number, a short code, or a name of 1 to 11 characters. */
export function isSmsSender(text: string): boolean {
  return parsePhone(text) !== null || /^\d{3,8}$/.test(text) || /^(?=.*[a-z])[a-z0-9 &_+-]{1,11}$/i.test(text);
}

/** The characters of the default alphabet (3GPP TS 23.038 section 6.2.1). */
const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The characters that take an escape before them, and so two places. */
const ESCAPED = new Set('\f^{}\\[~]|€');

/** How the networks carry a text. */
export interface SmsSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** The number of messages that it is carried in. */
  readonly segments: number;
}

/** Returns how the networks carry a text: in 160 characters of GSM-7, or 70 of UCS-2, fewer in each of several segments. */
export function smsSize(text: string): SmsSize {
  const characters = [...text];
  const isGsm = characters.every((one) => GSM.has(one) || ESCAPED.has(one));
  const widthOf = (one: string) => (isGsm ? (ESCAPED.has(one) ? 2 : 1) : one.length);
  const [alone, joined] = isGsm ? [160, 153] : [70, 67];
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const width = characters.reduce((sum, one) => sum + widthOf(one), 0);
  if (width <= alone) return { encoding, segments: 1 };
  let segments = 1;
  let used = 0;
  for (const one of characters) {
    // A character never stands in two segments.
    if (used + widthOf(one) > joined) {
      segments++;
      used = 0;
    }
    used += widthOf(one);
  }
  return { encoding, segments };
}
