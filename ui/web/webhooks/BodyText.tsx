import { Pre } from '../parts/view-controls.tsx';
import { jsonTokens } from './request-body.ts';

/** Shows a text as it was sent, or JSON with its words in colours. `lacks` says which part is not shown. */
export function BodyText({
  text,
  isJson,
  lacks,
}: {
  readonly text: string;
  readonly isJson: boolean;
  readonly lacks?: string;
}) {
  return (
    <Pre className="body-text" data-lacks={lacks}>
      {isJson
        ? jsonTokens(text).map((token, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change places
            <span key={index} className={`t-${token.is}`}>
              {token.text}
            </span>
          ))
        : text}
    </Pre>
  );
}
