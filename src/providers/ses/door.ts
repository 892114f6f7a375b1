import { awsKeyOf } from '../aws.ts';
import type { Door, Outcome } from '../door.ts';
import { sesRefusal } from './errors.ts';
import { publishSes } from './events.ts';
import { publishInbound, sesRules } from './inbound.ts';
import { version1 } from './version-1.ts';
import { version2 } from './version-2.ts';

/** What the mailbox simulator of SES does. */
const SIMULATOR: Readonly<Record<string, Outcome>> = {
  success: 'delivered',
  bounce: 'bounced',
  suppressionlist: 'bounced',
  complaint: 'complained',
  ooto: 'delivered',
};

export const ses: Door = {
  name: 'ses',
  routes: [...version2, version1],
  // 40 MB after base64, and the rest of the body.
  bodyLimit: 42 * 1024 * 1024,
  keyOf: (headers) => awsKeyOf(headers, 'ses'),
  secrets: ['authorization', 'x-amz-security-token'],
  refusal: sesRefusal,
  outcomeOf: (address) => {
    const [, name = ''] = /^([a-z]+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(address) ?? [];
    return Object.hasOwn(SIMULATOR, name.toLowerCase()) ? (SIMULATOR[name.toLowerCase()] ?? null) : null;
  },
  // SES tells of events through topics of SNS.
  eventsFor: () => [],
  interactions: ['opened', 'clicked', 'complained'],
  inbound: {
    rulesFor: sesRules,
    publish: (caller, tx, mail, rule, now) => publishInbound({ ...caller, door: ses }, tx, mail, rule, now),
  },
  publish: (caller, tx, event, now) => publishSes({ ...caller, door: ses }, tx, event, now),
};
