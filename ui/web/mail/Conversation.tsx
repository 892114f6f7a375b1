import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidExactTime, saidMoment } from '../../../src/text/said.ts';
import { NO_SUBJECT } from '../../../src/text/wording.ts';
import type { MessageFacts } from '../app/api.ts';
import { openThread, type ShownThread, threadThatCame } from '../app/open-message.ts';
import { inReplyOrder } from '../app/reply-order.ts';
import { mailboxRoute, messageRoute } from '../app/route.ts';
import { useLoaded } from '../use-loaded.ts';
import { href, useShell } from '../use-shell.ts';
import { displayName } from './Row.tsx';

/** The conversation that was shown last, so that it stands there at once when its next message opens. */
let last: ShownThread | null = null;
/** True while a key goes from message to message, so that the focus follows. */
let isMoving = false;

/** The number of messages whose first words are shown. */
const PREVIEWED = 50;
/** The deepest answer that is set in further than the one before it. */
const DEEPEST = 4;

/**
 * Lists the messages of a conversation in the order of replies. It is one stop of the Tab key: `j` and `k` open the next
 * and the previous one. Nothing is shown of a message that stands alone.
 */
export function Conversation({ facts: { id, mailboxId, threadId } }: { readonly facts: MessageFacts }) {
  const shell = useShell();
  const { value } = useLoaded(
    `thread ${id}`,
    (signal) => openThread(shell.api, id, signal),
    ({ type, data }) => /^message\.(?:received|deleted)$/.test(type) && data['mailboxId'] === mailboxId,
  );
  const [first] = useState(() => threadThatCame(id));
  const thread = value ?? first ?? (last?.threadId === threadId ? last : null);
  const snippets = useSnippets(thread?.items ?? []);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (value !== null) last = value;
  }, [value]);
  const isThere = thread !== null && thread.items.length > 1;
  useEffect(() => {
    if (!isThere || !isMoving) return;
    isMoving = false;
    list.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
  }, [isThere]);
  if (!isThere) return null;
  const placed = inReplyOrder(thread.items);
  const at = placed.findIndex(({ message }) => message.id === id);
  const move = (event: KeyboardEvent) => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = placed[at + by];
    if (next === undefined) return;
    isMoving = true;
    shell.openMessage({ id: next.message.id, mailboxId }, true);
  };
  return (
    <nav className="conversation" aria-label="Conversation">
      <h2>
        Conversation of {thread.total.toLocaleString('en-US')}
        <a href={href(mailboxRoute(mailboxId, `thread:${threadId}`))}>Show as a list</a>
      </h2>
      <ol ref={list} onKeyDown={move}>
        {placed.map(({ message, depth }) => (
          <li key={message.id} data-depth={Math.min(depth, DEEPEST)}>
            <a
              href={href(messageRoute(message.id))}
              className={message.read ? '' : 'unread'}
              style={{ paddingLeft: `calc(var(--3) + ${16 * Math.min(depth, DEEPEST)}px)` }}
              aria-current={message.id === id ? 'true' : undefined}
              tabIndex={message.id === id ? 0 : -1}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                shell.openMessage({ id: message.id, mailboxId }, true);
              }}
            >
              {depth > 0 && <span className="sr">{`Answer ${depth} deep: `}</span>}
              <span className="who" dir="auto">
                {displayName(message.from ?? '') || 'nobody'}
              </span>
              <span className="topic" dir="auto">
                <span>{harmlessLine(message.subject ?? '', 160) || NO_SUBJECT}</span>
                {snippets.has(message.id) && <span className="faint"> {snippets.get(message.id)}</span>}
              </span>
              <time dateTime={message.receivedAt} title={saidMoment(Date.parse(message.receivedAt), shell.now())}>
                {saidExactTime(Date.parse(message.receivedAt), shell.now())}
              </time>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

let lastSnippets: ReadonlyMap<string, string> = new Map();

/** Returns the first words of messages by their ids. They tell messages of one subject apart. */
function useSnippets(messages: ShownThread['items']): ReadonlyMap<string, string> {
  const shell = useShell();
  const ids = messages.slice(0, PREVIEWED).map(({ id }) => id);
  const { value } = useLoaded(`previews ${ids}`, async () => {
    const previews = ids.length > 1 ? await shell.api.getMessagePreviews({ ids }) : [];
    lastSnippets = new Map(previews.map(({ id, snippet }) => [id, harmlessLine(snippet, 120)]));
    return lastSnippets;
  });
  // The last ones stand until those of the next message of the conversation came.
  return value ?? lastSnippets;
}
