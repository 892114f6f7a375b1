import { distinctAddresses, type ListedAddress } from '../domain/address-list.ts';
import type { MailFile, ProviderMail } from '../domain/provider.ts';
import type { CustomHeaders } from './fields.ts';
import type { Content } from './templates.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** The parts of a mail, as a provider read them of a request. */
interface MailParts extends Content {
  readonly id: string;
  /** The Message-ID with angle brackets, if the app gives none. */
  readonly messageId: string;
  readonly from: ListedAddress;
  readonly to: readonly ListedAddress[];
  readonly cc?: readonly ListedAddress[];
  readonly bcc?: readonly ListedAddress[];
  readonly replyTo?: readonly ListedAddress[] | ListedAddress | null;
  /** The header fields that the app adds. */
  readonly added: Exclude<CustomHeaders, { readonly refused: string }>;
  /** Header fields of what else the request says of the mail, such as its tags, so that searches find it. */
  readonly told?: Headers;
  readonly attachments: readonly MailFile[];
}

/** Builds a mail of its parts. */
export function builtMail({
  messageId,
  cc = [],
  bcc = [],
  replyTo = [],
  added,
  told = [],
  ...parts
}: MailParts): ProviderMail {
  const { from, to } = parts;
  return {
    ...parts,
    cc,
    replyTo: replyTo === null ? [] : [replyTo].flat(),
    messageId: added.messageId ?? messageId,
    headers: [...added.headers, ...told],
    mailFrom: from.address,
    recipients: distinctAddresses([...to, ...cc, ...bcc]),
  };
}

/** Returns a header field for each of some values. */
export function headersNamed(name: string, values: readonly string[]): Headers {
  return values.map((value) => [name, value] as const);
}
