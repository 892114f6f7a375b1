import { useState } from 'react';
import { harmlessLine } from '../../../src/text/harmless.ts';
import type { MessageFacts } from '../app/api.ts';
import { mailboxRoute } from '../app/route.ts';
import { IconButton } from '../parts/controls.tsx';
import { href, useShell } from '../use-shell.ts';

/** The longest tag that the server takes. */
const MOST_CHARACTERS = 100;

/** Shows the tags of a message, each with a link to the messages that have it, and a field for another one. */
export function Tags({ facts }: { readonly facts: MessageFacts }) {
  const shell = useShell();
  const { mailboxId, tags } = facts;
  const [text, setText] = useState('');
  const add = () => {
    const added = text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    setText('');
    if (added.length > 0) shell.marks.addTags(facts, added);
  };
  return (
    <div>
      <dt>Tags</dt>
      <dd className="tags">
        {tags.map((tag) => (
          <span key={tag} className="tag">
            <a href={href(mailboxRoute(mailboxId, `tag:"${tag}"`))}>{harmlessLine(tag, 100)}</a>
            <IconButton
              icon="close"
              label={`Remove the tag ${harmlessLine(tag, 100)}`}
              onClick={() => shell.marks.removeTag(facts, tag)}
            />
          </span>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <input
            id="new-tag"
            aria-label="Add a tag"
            placeholder="Add a tag"
            title="Add a tag (T)"
            autoComplete="off"
            maxLength={MOST_CHARACTERS}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              setText('');
              document.querySelector<HTMLElement>('#message')?.focus();
            }}
          />
        </form>
      </dd>
    </div>
  );
}
