import {
  LocalOnlyError,
  MailcapError,
  NoServerError,
  OptionError,
  RefusedError,
  TimeoutError,
} from '../client/errors.ts';
import { UserError } from '../config/user-error.ts';
import { sentenceOfCode } from '../text/refusals.ts';
import { Arguments, EXIT } from './command.ts';
import { keySourceOf, variable } from './look-up.ts';
import { noAnswerAt, whyUnreached } from './unreachable.ts';

/** Converts an error of the client to a sentence and an exit code. Returns any other error unchanged. */
export function asUserError(error: unknown, args = new Arguments({}, [])): unknown {
  if (error instanceof MailcapError) return new UserError(sentenceOf(error, args), exitCodeOf(error), { cause: error });
  // This may be a host name or a variable that is not valid in a request.
  return error;
}

function exitCodeOf(error: MailcapError): number {
  if (error instanceof NoServerError || error instanceof TimeoutError) return EXIT.unreachable;
  return error instanceof OptionError ? EXIT.misuse : EXIT.failed;
}

function sentenceOf(error: MailcapError, args: Arguments): string {
  if (error instanceof RefusedError) return refusalSentence(error, args);
  if (error instanceof NoServerError) return unreachable(error);
  if (error instanceof TimeoutError)
    return 'the server did not answer in time: it is busy, or another program listens there.';
  if (error instanceof LocalOnlyError)
    return 'this needs the local API, which this server does not have: use a server of `mailcap dev` or a mailcap container.';
  switch (error.code) {
    case 'no_api_key':
      return noKeyFor(error.url);
    case 'unknown_workspace':
      return 'the workspace of the API key is not known: set MAILCAP_WORKSPACE_ID.';
    default:
      return oneLine(error.message.replace(/^createClient's option (\w+)/, '$1'));
  }
}

/** Returns the sentence of a refusal: the meaning of its code, if the code is known. */
export function refusalSentence(error: RefusedError, args: Arguments): string {
  const { code, status, extra, requestId } = error;
  if (code === 'unauthorized') return isOfLocalApi(error) ? noToken() : badKey(args);
  if (code === 'unexpected_answer')
    return `the program that answers there is not mailcap (it answered ${status}): check the URL.`;
  return sentenceOfCode(code, { ...(requestId === null ? {} : { requestId }), ...extra });
}

/** Tells whether the call went to the local API, which needs another token. */
function isOfLocalApi({ call }: RefusedError): boolean {
  return call?.startsWith('local.') ?? false;
}

function noToken(): string {
  return variable('MAILCAP_ADMIN_TOKEN') === null
    ? 'the local API of this server needs its admin token, which it printed at its start: set MAILCAP_ADMIN_TOKEN to it.'
    : 'the server does not accept the token in MAILCAP_ADMIN_TOKEN: set it to the admin token that this server printed at its start.';
}

/** Returns the sentence that a command has no key for a server. */
export function noKeyFor(url: string | null): string {
  const at = url === null ? 'this server' : url;
  return `there is no API key for ${at}: create one with \`mailcap keys create <name>\`, and give it with --api-key or MAILCAP_API_KEY.`;
}

/** Names the key that was refused, and what to do about it. */
function badKey(args: Arguments): string {
  const source = keySourceOf(args);
  if (source === '--api-key')
    return 'the server does not accept the key of --api-key: create another with `mailcap keys create <name>`.';
  if (source === 'MAILCAP_API_KEY')
    return `the server at ${args.text('url') ?? variable('MAILCAP_URL')} does not accept the key in MAILCAP_API_KEY: set it to a key of that server; \`mailcap keys create <name>\` issues one there.`;
  return 'the development key of the server was revoked: restart the server to get another, or create one with `mailcap keys create <name>` for --api-key.';
}

function unreachable(error: NoServerError): string {
  const { url, mayHaveRun, message, hint } = error;
  if (url === null) return oneLine(message);
  if (!mayHaveRun) return noAnswerAt(url, error);
  return `the request was sent to ${url}, but its answer was lost:  ${whyUnreached(error)}. ${hint ?? ''}`.trim();
}

/** Joins the lines of a message. A hint is on a line of its own. */
function oneLine(message: string): string {
  return message
    .split('\n')
    .map((line, at, all) => (at < all.length - 1 && !/[.!?:]$/.test(line) ? `${line}.` : line))
    .join(' ');
}
