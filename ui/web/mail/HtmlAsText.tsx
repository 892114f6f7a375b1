import { useMemo } from 'react';
import { MAX_CHARACTERS } from '../../../src/extract/bounds.ts';
import { readableText } from '../../../src/extract/readable-text.ts';
import { saidSize } from '../../../src/text/said.ts';
import { TextView } from './TextView.tsx';

/** Shows the words of a mail's HTML, and where its links lead, as a text that can be searched. */
export function HtmlAsText({ html }: { readonly html: string }) {
  const text = useMemo(() => readableText(html, () => null).text, [html]);
  return (
    <>
      <p className="note" role="note">
        {html.length > MAX_CHARACTERS
          ? `The words of the HTML, of its first ${saidSize(MAX_CHARACTERS)}. Close the search to see the mail.`
          : 'The words of the HTML. Close the search to see the mail.'}
      </p>
      <TextView text={text} links={[]} />
    </>
  );
}
