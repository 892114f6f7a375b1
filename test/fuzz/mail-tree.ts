import fc from 'fast-check';

/** The MIME structure that a sender intends. */
export type Tree =
  | { readonly kind: 'text'; readonly type: string; readonly body: string }
  | { readonly kind: 'file'; readonly head: string; readonly body: string }
  | { readonly kind: 'multipart'; readonly type: string; readonly boundary: string; readonly parts: readonly Tree[] };

const body = fc.constantFrom(
  '',
  'text',
  '--',
  '--x',
  'a\r\n.\r\nb',
  '\r\n\r\n',
  'ü',
  'Content-Type: image/png\r\n\r\n',
);
const text = fc.record({
  kind: fc.constant('text' as const),
  type: fc.constantFrom('text/plain', 'text/html; charset=utf-8', 'TEXT/Plain;\r\n charset="us-ascii"'),
  body,
});
const file = fc.record({
  kind: fc.constant('file' as const),
  head: fc.constantFrom(
    'Content-Type: application/pdf; name="a;b.pdf"',
    'Content-Type: image/png\r\nContent-Disposition: inline\r\nContent-ID: <../../x>',
    "Content-Disposition: attachment; filename*=utf-8''%E2%82%AC.txt\r\nContent-Type: text/plain",
    'Content-Type: message/rfc822',
    'content-type: application/octet-stream\r\ncontent-disposition: ATTACHMENT;\r\n\tfilename*0="a"; filename*1="b"',
  ),
  body,
});

let boundaries = 0;

export const mailTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; multipart: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, text, file, tie('multipart')),
  multipart: fc
    .record({
      kind: fc.constant('multipart' as const),
      type: fc.constantFrom('mixed', 'alternative', 'related', 'x-unknown'),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    })
    // No boundary is a prefix of another, so the intended structure is unambiguous.
    .map((parts) => ({ ...parts, boundary: `=_b ${++boundaries}.` })),
})).multipart;

export function writeTree(tree: Tree): Buffer {
  return Buffer.from(`From: a@x.test\r\nSubject: built\r\nMIME-Version: 1.0\r\n${written(tree)}`);
}

function written(tree: Tree): string {
  switch (tree.kind) {
    case 'text':
      return `Content-Type: ${tree.type}\r\n\r\n${tree.body}\r\n`;
    case 'file':
      return `${tree.head}\r\n\r\n${tree.body}\r\n`;
    case 'multipart': {
      const delimiter = `--${tree.boundary}`;
      const parts = tree.parts.map((part) => `${delimiter}\r\n${written(part)}`).join('\r\n');
      return `Content-Type: multipart/${tree.type}; boundary="${tree.boundary}"\r\n\r\npreamble\r\n${parts}\r\n${delimiter}--\r\nepilogue\r\n`;
    }
  }
}

/** Counts the attachments. In a multipart/related only the first part can be a body (RFC 8621 4.1.4). */
export function treeAttachments(tree: Tree, canBeBody = true): number {
  switch (tree.kind) {
    case 'text':
      return canBeBody ? 0 : 1;
    case 'file':
      return 1;
    case 'multipart':
      return tree.parts.reduce(
        (sum, part, index) => sum + treeAttachments(part, tree.type !== 'related' || index === 0),
        0,
      );
  }
}
