import { Fragment, useState } from 'react';
import { harmlessText, INVISIBLE } from '../../../src/text/harmless.ts';
import { saidCount, saidSize } from '../../../src/text/said.ts';
import { Button, Empty } from '../parts/controls.tsx';

/** The number of characters that are drawn before the reader asks for all. A browser takes seconds for a long text. */
export const DRAWN_TEXT = 200_000;

/** Shows the text body unchanged. Web addresses in it become links. */
export function TextView({
  text,
  links,
}: {
  readonly text: string | null;
  readonly links: readonly { readonly url: string }[];
}) {
  const [all, setAll] = useState(false);
  const [isMarked, setMarked] = useState(false);
  if (text === null || text === '')
    return (
      <Empty icon="file" title="No text">
        <p>The mail has no text body. Mail programs without HTML show nothing.</p>
      </Empty>
    );
  const known = new Set(links.map(({ url }) => url));
  const isCut = !all && text.length > DRAWN_TEXT;
  const drawn = isCut ? text.slice(0, DRAWN_TEXT) : text;
  const invisible = drawn.match(INVISIBLE) ?? [];
  const pieces = harmlessText(isMarked ? drawn.replace(INVISIBLE, (sign) => `[${codePoint(sign)}]`) : drawn).split(
    /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/g,
  );
  return (
    <>
      {invisible.length > 0 && (
        <p className="note waiting invisible-note">
          {saidCount(invisible.length, 'invisible character')}:{' '}
          {[...new Set(invisible.map(codePoint))].slice(0, 5).join(', ')}{' '}
          <Button look="quiet" aria-pressed={isMarked} onClick={() => setMarked(!isMarked)}>
            {isMarked ? 'Hide them' : 'Show them'}
          </Button>
        </p>
      )}
      <pre className="text-body">
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change places
          <Fragment key={index}>
            {index % 2 === 1 && (known.has(piece) || URL.canParse(piece)) ? (
              <a href={piece} target="_blank" rel="noopener noreferrer">
                {piece}
              </a>
            ) : (
              piece
            )}
          </Fragment>
        ))}
      </pre>
      {isCut && (
        <p className="cut-off">
          Only the first {saidSize(DRAWN_TEXT)} are shown. <Button onClick={() => setAll(true)}>Show all</Button>
        </p>
      )}
    </>
  );
}

/** Returns the name of a character as standards write it, such as `U+200B`. */
function codePoint(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
