import type { Door, Outcome } from '../door.ts';
import { sesRefusal } from './errors.ts';
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

/** The signature of version 4. Its form is required; what it signs is not checked. */
const SIGNATURE =
  /^AWS4-(?:HMAC|ECDSA-P256)-SHA256 Credential=([^/,\s]+)\/\d{8}\/(?:[\w-]+\/)?ses\/aws4_request, ?SignedHeaders=[\w;-]+, ?Signature=[0-9a-f]+$/i;

export const ses: Door = {
  name: 'ses',
  routes: [...version2, ...version1],
  // 40 MB after base64, and the rest of the body.
  bodyLimit: 42 * 1024 * 1024,
  keyOf: ({ authorization }) => SIGNATURE.exec(authorization ?? '')?.[1] ?? null,
  secrets: ['authorization', 'x-amz-security-token'],
  refusal: sesRefusal,
  keyReused: null,
  outcomeOf: (address) => {
    const [, name = ''] = /^([a-z]+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(address) ?? [];
    return Object.hasOwn(SIMULATOR, name.toLowerCase()) ? (SIMULATOR[name.toLowerCase()] ?? null) : null;
  },
  // SES tells of events through SNS, which mailcap does not have.
  eventsFor: () => [],
};
