import type { Page } from '@playwright/test';
import axe from 'axe-core';

/**
 * Returns what breaks a rule of axe on a page, each with its place. It leaves the HTML of a mail out, for which its
 * sender is responsible.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  // The page keeps axe while its address changes only behind the #.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  // Without `resultTypes`, megabytes of what is right are told too.
  return page.evaluate(`axe
    .run({ exclude: ['iframe'] }, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' at ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}
