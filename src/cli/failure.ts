import { harmlessLine } from '../../ui/model/harmless.ts';
import { sentenceOfCode } from '../../ui/model/refusals.ts';
import {
  LocalOnlyError,
  MailcapError,
  NoServerError,
  OptionError,
  RefusedError,
  TimeoutError,
} from '../client/errors.ts';
import { UserError } from '../config/user-error.ts';
import { Arguments } from './arguments.ts';
import { EXIT } from './command.ts';
import { variable } from './look-up.ts';

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
  if (error instanceof RefusedError) return refusalOf(error, args);
  if (error instanceof NoServerError) return unreachable(error);
  if (error instanceof TimeoutError)
    return 'the server gave no answer in time: it is busy, or something else listens there.';
  if (error instanceof LocalOnlyError)
    return 'this needs the local API, which this server does not have: `mailcap dev` or a mailcap container has.';
  switch (error.code) {
    case 'no_api_key':
      return 'there is no API key for this server: give --api-key, or set MAILCAP_API_KEY.';
    case 'unknown_workspace':
      return 'the workspace of the API key is not known: set MAILCAP_WORKSPACE_ID.';
    default:
      return oneLine(error.message.replace(/^createClient's option (\w+)/, '$1'));
  }
}

/** Returns the sentence of a refusal: the meaning of its code, if the code is known. */
export function refusalOf(error: RefusedError, args: Arguments): string {
  const { code, status, extra, requestId } = error;
  if (code === 'unauthorized') return isOfLocalApi(error) ? noToken() : badKey(args);
  if (code === 'unexpected_answer') return `what answers there is no mailcap: it said ${status}.`;
  return sentenceOfCode(code, { ...(requestId === null ? {} : { requestId }), ...extra });
}

/** Tells whether the call went to the local API. Its name is in the message, and it needs another token. */
function isOfLocalApi({ message }: RefusedError): boolean {
  return message.startsWith('local.');
}

function noToken(): string {
  return variable('MAILCAP_ADMIN_TOKEN') === null
    ? 'the local API of this server needs its admin token, which it printed at its start: set MAILCAP_ADMIN_TOKEN to it.'
    : 'the server does not take the token in MAILCAP_ADMIN_TOKEN: it is that of another server, perhaps.';
}

/** Names the place that the wrong key came from. */
function badKey(args: Arguments): string {
  const another = '`mailcap keys create <name>` issues one';
  if (args.text('apiKey') !== null) return `the server does not take the key of --api-key; ${another}.`;
  const isVariable = variable('MAILCAP_API_KEY') !== null;
  if (isVariable)
    return `the server does not take the key in MAILCAP_API_KEY; ${another}, and unset it means that of \`mailcap dev\`.`;
  return `the server does not take the key that \`mailcap dev\` began with, which was revoked: restart it to have another made, or ${another} for --api-key or MAILCAP_API_KEY.`;
}

function unreachable({ message }: NoServerError): string {
  const [, url, why] = / did not reach (\S+): (.*)/.exec(message) ?? [];
  const hint = 'is it running? `npx mailcap dev` starts one.';
  if (url !== undefined)
    return `no server answers at ${url} (${harmlessLine((why ?? '').replace(/\.$/, ''), 200)}): ${hint}`;
  return oneLine(message.replace(/^\S+ was sent to/, 'the request was sent to'));
}

/** Joins the lines of a message. A hint is on a line of its own. */
function oneLine(message: string): string {
  return message
    .split('\n')
    .map((line, at, all) => (at < all.length - 1 && !/[.!?:]$/.test(line) ? `${line}.` : line))
    .join(' ');
}
