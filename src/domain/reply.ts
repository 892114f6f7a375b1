import type { ParsedMail } from './parsed-mail.ts';

/** The message ids that a reply names, the first and the last ones. A long conversation would outgrow a header. */
const MAX_REFERENCES = 50;
/** The longest message id that is repeated. */
const MAX_ID = 500;
const MESSAGE_ID = /<[^\s<>]{1,498}>/g;

/**
 * Returns the header fields by which a mail answers another one (RFC 5322 3.6.4): its Message-ID, after the messages that
 * it names itself. A mail without a Message-ID can't be answered so, and there are none.
 */
export function replyHeaders(headers: ParsedMail['headers']): (readonly [name: string, value: string])[] {
  const [parent] = idsIn(headers['message-id']);
  if (parent === undefined) return [];
  const named = idsIn(headers['references']);
  const before = named.length > 0 ? named : idsIn(headers['in-reply-to']).slice(0, 1);
  const all = [...new Set([...before, parent])];
  const kept = all.length <= MAX_REFERENCES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_REFERENCES)];
  return [
    ['In-Reply-To', parent],
    ['References', kept.join(' ')],
  ];
}

function idsIn(field: string | readonly string[] | undefined): string[] {
  const text = typeof field === 'string' ? field : (field ?? []).join(' ');
  return [...text.matchAll(MESSAGE_ID)].map(([id]) => id).filter(({ length }) => length <= MAX_ID);
}
