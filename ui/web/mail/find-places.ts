/** The most places that are marked. A browser takes long to draw more. */
const MOST = 2_000;

/** Returns the places of a text in what an element shows, in any case. A place can reach over several nodes. */
export function placesOf(element: Element, wanted: string): readonly Range[] {
  const text = wanted.toLowerCase();
  if (text.trim() === '') return [];
  const nodes: Text[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof HTMLElement && node.hidden ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node instanceof Text) nodes.push(node);
  const starts: number[] = [];
  let all = '';
  for (const node of nodes) {
    starts.push(all.length);
    // Letters such as İ are longer in lower case, and the places after them would be wrong.
    const lower = node.data.toLowerCase();
    all += lower.length === node.data.length ? lower : node.data;
  }
  const ranges: Range[] = [];
  let at = 0;
  for (let from = all.indexOf(text); from >= 0 && ranges.length < MOST; from = all.indexOf(text, from + text.length)) {
    while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= from) at++;
    let end = at;
    while ((starts[end + 1] ?? Number.POSITIVE_INFINITY) < from + text.length) end++;
    const [first, last] = [nodes[at], nodes[end]];
    if (first === undefined || last === undefined) break;
    const range = new Range();
    range.setStart(first, from - (starts[at] ?? 0));
    range.setEnd(last, from + text.length - (starts[end] ?? 0));
    ranges.push(range);
  }
  return ranges;
}
