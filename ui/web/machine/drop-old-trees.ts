import { options } from 'preact';

// Preact keeps the tree of a component's first rendering alive, because the elements in the `props.children` above it
// are the nodes of that tree. Each tree shares the children of its memoized rows with the next one, so the first tree
// keeps every later one: 30 kB for each new message of a long list (preactjs/preact issue 4909). Nothing reads a
// replaced tree, so this module removes its children.

/**
 * A node of Preact's tree. The names of these fields are stable since version 10, because Preact's DevTools use them.
 */
interface Node {
  __c?: Component | null;
  __k?: unknown;
}
interface Component {
  __v?: Node;
}

/** Makes Preact forget the trees that it replaced. */
export function dropOldTrees(): void {
  const shown = new WeakMap<Component, Node>();
  let replaced: Node[] = [];
  const before = options.diffed;
  options.diffed = (vnode) => {
    before?.(vnode);
    const node = vnode as Node;
    const component = node.__c;
    if (component === undefined || component === null) return;
    const old = shown.get(component);
    shown.set(component, node);
    if (old === undefined || old === node) return;
    // Preact is still comparing the two trees. The microtask runs after it has finished.
    if (replaced.length === 0) queueMicrotask(drop);
    replaced.push(old);
  };
  function drop(): void {
    for (const node of replaced) node.__k = null;
    replaced = [];
  }
}
