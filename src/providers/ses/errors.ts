import { type DoorAnswer, type DoorProblem, DoorRefusal, type ProblemKind } from '../door.ts';

// Amazon SES has two APIs: version 2 speaks JSON, version 1 a form and XML. They name their errors differently.

const CODES = {
  bad: { status: 400, v2: 'BadRequestException', v1: 'InvalidParameterValue' },
  rejected: { status: 400, v2: 'MessageRejected', v1: 'MessageRejected' },
  no_template: { status: 404, v2: 'NotFoundException', v1: 'TemplateDoesNotExist' },
  not_found: { status: 404, v2: 'NotFoundException', v1: 'InvalidAction' },
  exists: { status: 400, v2: 'AlreadyExistsException', v1: 'AlreadyExists' },
  render: { status: 400, v2: 'BadRequestException', v1: 'MissingRenderingAttribute' },
  limit: { status: 429, v2: 'LimitExceededException', v1: 'Throttling' },
  no_token: { status: 403, v2: 'MissingAuthenticationTokenException', v1: 'MissingAuthenticationToken' },
  bad_token: { status: 403, v2: 'InvalidClientTokenId', v1: 'InvalidClientTokenId' },
  forbidden: { status: 403, v2: 'AccessDeniedException', v1: 'AccessDenied' },
  too_large: { status: 413, v2: 'BadRequestException', v1: 'RequestEntityTooLarge' },
  unavailable: { status: 503, v2: 'ServiceUnavailable', v1: 'ServiceUnavailable' },
} as const;
export type SesCode = keyof typeof CODES;

export const XML = 'text/xml; charset=utf-8';
export const NAMESPACE = 'http://ses.amazonaws.com/doc/2010-12-01/';

/** Tells whether a path belongs to version 2. */
export function isVersion2(url: string): boolean {
  return url.startsWith('/v2/');
}

/** Writes an error as the API of a path does. */
export function sesError(url: string, code: SesCode, message: string): DoorAnswer {
  const { status, v1, v2 } = CODES[code];
  if (isVersion2(url)) return { status, body: { message }, headers: { 'x-amzn-ErrorType': v2 } };
  const error = `<Error><Type>Sender</Type><Code>${v1}</Code><Message>${inXml(message)}</Message></Error>`;
  const body = `<ErrorResponse xmlns="${NAMESPACE}">${error}<RequestId>mailcap</RequestId></ErrorResponse>`;
  return { status: status === 404 ? 400 : status, body, type: XML };
}

/** Creates a refusal with an error of SES. */
export function refuseSes({ url }: { readonly url: string }, code: SesCode, message: string): DoorRefusal {
  return new DoorRefusal(sesError(url, code, message));
}

const PROBLEMS: Readonly<Partial<Record<ProblemKind, SesCode>>> = {
  missing_key: 'no_token',
  wrong_key: 'bad_token',
  foreign_page: 'forbidden',
  not_found: 'not_found',
  too_large: 'too_large',
  no_such_mailbox: 'rejected',
  limit_reached: 'limit',
  storage_full: 'limit',
  unavailable: 'unavailable',
};

/** Writes a refusal that any request can meet as SES does. */
export function sesRefusal({ kind, message }: DoorProblem, url: string): DoorAnswer {
  return sesError(url, PROBLEMS[kind] ?? 'bad', message);
}

export function inXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no control characters
  const printable = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
