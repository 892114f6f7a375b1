import { Fragment } from 'react';
import { harmlessText } from '../../../src/text/harmless.ts';
import { Empty } from '../parts/controls.tsx';

/** Shows the text body unchanged. Web addresses in it become links. */
export function TextView({
  text,
  links,
}: {
  readonly text: string | null;
  readonly links: readonly { readonly url: string }[];
}) {
  if (text === null || text === '')
    return (
      <Empty icon="file" title="No text">
        <p>The mail has no text body. Readers that show no HTML show nothing.</p>
      </Empty>
    );
  const known = new Set(links.map(({ url }) => url));
  const pieces = harmlessText(text).split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/g);
  return (
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
  );
}
