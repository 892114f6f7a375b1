import { Fragment, useState } from 'react';
import { harmlessText } from '../../../src/text/harmless.ts';
import { saidSize } from '../../../src/text/said.ts';
import { Button, Empty } from '../parts/controls.tsx';
import { InvisibleNote, withMarks } from './Invisible.tsx';

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
  const pieces = harmlessText(isMarked ? withMarks(drawn) : drawn).split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/g);
  return (
    <>
      <InvisibleNote text={drawn} isMarked={isMarked} onMark={setMarked} />
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
