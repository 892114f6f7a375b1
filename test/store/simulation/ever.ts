import { Broken, type History } from './history.ts';
import { Model } from './model.ts';
import { type Picture, pictureOfModel, UNREADABLE } from './picture.ts';
import type { World } from './world.ts';

// A test that loses more than one record can't predict the store's content. The store must still show nothing that was
// never true.

/** Tables whose rows do not depend on other rows. Counts, by contrast, follow from the rows that are left. */
export const ROWS =
  /^(workspaces|keys|groups|authenticators|identities|suppression|mailboxes|messages|webhooks|requests|sends|idempotency|events) /;

/** Returns every value that each row ever had. */
export function everythingThatWas(history: History, world: World): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  let model = new Model();
  const note = () => {
    for (const [name, text] of pictureOfModel(model, world)) {
      const texts = known.get(name) ?? new Set();
      known.set(name, texts.add(text));
    }
  };
  for (const changes of history.acknowledged) {
    model = model.after(changes);
    note();
  }
  return known;
}

/** Throws {@link Broken} where a row says something that it never said. `what` names the damage. */
export function checkThatItWas(found: Picture, known: Map<string, Set<string>>, what: string): void {
  for (const [name, text] of found) {
    if (!ROWS.test(name) || text.includes(UNREADABLE)) continue;
    if (known.get(name)?.has(text) !== true) throw new Broken(`${what}: ${name} is ${text}, and never was`);
  }
}
