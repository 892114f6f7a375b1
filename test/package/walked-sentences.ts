/** A sentence of a page, with a group for each text that is taken from it. */
export interface WalkedSentence {
  /** The path of the page from the root of the package. */
  readonly page: string;
  readonly sentence: RegExp;
}

/**
 * The sentences that the walk of an installed package follows (walk.test.ts). The walk runs at night;
 * test/docs/claims.test.ts tells by day if a page no longer has one of them.
 */
export const WALKED_SENTENCES = {
  smtp: { page: 'README.md', sentence: /Set the SMTP host to `([\d.]+)` and the port to (\d+), without TLS/ },
  playwright: { page: 'README.md', sentence: /Save this as `([^`]+)`, install `([^`]+)`, and run `([^`]+)`/ },
  init: { page: 'README.md', sentence: /`(npx mailcap init)` sets up a whole project/ },
  vitest: { page: 'docs/vitest.md', sentence: /Run `(npm install [^`]+)`/ },
  mocha: {
    page: 'docs/other-runners.md',
    sentence: /Save these hooks as `([^`]+)`, and put `([^`]+)` into `([^`]+)`/,
  },
  bunAndDeno: {
    page: 'docs/other-runners.md',
    sentence: /`(bun test)` runs .* and so does `(deno test [^`]+)`/,
  },
  pytest: { page: 'docs/other-runners.md', sentence: /`(eval "\$\(npx mailcap env --format shell\)")`/ },
} satisfies Readonly<Record<string, WalkedSentence>>;
