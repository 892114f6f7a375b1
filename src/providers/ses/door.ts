import { awsKeyOf } from '../aws.ts';
import { type Door, testAddresses } from '../door.ts';
import { sesRefusal } from './errors.ts';
import { publishSes } from './events.ts';
import { publishInbound, sesRules } from './inbound.ts';
import { version1 } from './version-1.ts';
import { version2 } from './version-2.ts';

export const ses: Door = {
  name: 'ses',
  routes: [...version2, version1],
  // 40 MB after base64, and the rest of the body.
  bodyLimit: 42 * 1024 * 1024,
  keyOf: (headers) => awsKeyOf(headers, 'ses'),
  secrets: ['authorization', 'x-amz-security-token'],
  refusal: sesRefusal,
  // The mailbox simulator.
  outcomeOf: testAddresses('simulator.amazonses.com', {
    ...{ success: 'delivered', ooto: 'delivered', bounce: 'bounced', suppressionlist: 'bounced' },
    complaint: 'complained',
  }),
  // SES tells of events through topics of SNS.
  interactions: ['opened', 'clicked', 'complained'],
  inbound: {
    rulesFor: sesRules,
    publish: (caller, tx, mail, rule, now) => publishInbound({ ...caller, door: ses }, tx, mail, rule, now),
  },
  publish: (caller, tx, event, now) => publishSes({ ...caller, door: ses }, tx, event, now),
};
