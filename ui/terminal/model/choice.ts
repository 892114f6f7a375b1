/** A short list with one selected item. All items are in memory. */
export interface Choice<Item> {
  readonly items: readonly Item[];
  readonly index: number;
}

export function chooseFrom<Item>(items: readonly Item[], index = 0): Choice<Item> {
  return { items, index: clamp(index, items.length) };
}

export function chosen<Item>(choice: Choice<Item>): Item | null {
  return choice.items[choice.index] ?? null;
}

export function choiceMoved<Item>(choice: Choice<Item>, by: number): Choice<Item> {
  return { ...choice, index: clamp(choice.index + by, choice.items.length) };
}

/** Replaces the items. The selected item stays selected if the new list still contains it. */
export function itemsChanged<Item extends { readonly id: string }>(
  choice: Choice<Item>,
  items: readonly Item[],
): Choice<Item> {
  const was = chosen(choice)?.id;
  const index = items.findIndex(({ id }) => id === was);
  return chooseFrom(items, index < 0 ? choice.index : index);
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1));
}
