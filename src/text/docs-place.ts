// Hints and errors name pages of the documentation only by these functions, so that a test can resolve each.

/** Returns the command that prints a page of the documentation: `links#the-kind-of-a-link` is a heading of a page. */
export function docsCommand(page: string): string {
  return `\`npx mailcap docs ${page}\``;
}

/** Returns the path of a page of the documentation on every server, for what a server answers. */
export function docsPath(page: string): string {
  return `/docs/${page}`;
}
