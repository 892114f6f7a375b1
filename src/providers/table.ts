import type { ProviderName } from '../domain/provider.ts';
import { brevo } from './brevo/door.ts';
import { customerio } from './customerio/door.ts';
import type { Door } from './door.ts';
import { mailersend } from './mailersend/door.ts';
import { mailgun } from './mailgun/door.ts';
import { mailtrap } from './mailtrap/door.ts';
import { postmark } from './postmark/door.ts';
import { resend } from './resend/door.ts';
import { sendgrid } from './sendgrid/door.ts';
import { ses } from './ses/door.ts';
import { sns } from './sns/door.ts';
import { twilio } from './twilio/door.ts';
import { vonage } from './vonage/door.ts';

/** The APIs of providers that the server serves, below `/providers/<name>` (docs/providers.md). */
export const DOORS: Readonly<Record<ProviderName, Door>> = {
  resend,
  sendgrid,
  postmark,
  mailgun,
  ses,
  brevo,
  mailersend,
  mailtrap,
  customerio,
  twilio,
  sns,
  vonage,
};

/** Returns the API of a provider; null for a name that mailcap does not know. */
export function doorNamed(name: string): Door | null {
  return Object.hasOwn(DOORS, name) ? (DOORS[name as ProviderName] ?? null) : null;
}
