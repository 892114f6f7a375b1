import { type Door, signedInAs } from '../door.ts';
import { accounts } from './accounts.ts';
import { twilioCallbacks } from './callbacks.ts';
import { twilioRefusal } from './errors.ts';
import { media } from './media.ts';
import { messages } from './messages.ts';
import { numbers } from './numbers.ts';
import { twilioTexts } from './phone-texts.ts';
import { verify } from './verify.ts';

// Twilio's API, as the SDK `twilio` calls it. Its hosts api.twilio.com and verify.twilio.com share the address here.

/** The number that takes a message and whose phone it never reaches. It is mailcap's own: Twilio has no such test number. */
export const UNREACHABLE_NUMBER = '+15005550099';

export const twilio: Door = {
  name: 'twilio',
  routes: [...messages, ...media, ...numbers, ...accounts, ...verify],
  bodyLimit: 256 * 1024,
  // The auth token, or the secret of an API key.
  keyOf: (headers) => /^(?:AC|SK)\w*:(\S+)$/.exec(signedInAs(headers))?.[1] ?? null,
  refusal: twilioRefusal,
  outcomeOf: (number) => (number === UNREACHABLE_NUMBER ? 'bounced' : null),
  callbacksFor: twilioCallbacks,
  phoneTexts: twilioTexts,
};
