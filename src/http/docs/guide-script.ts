import { createHash } from 'node:crypto';

/**
 * The script of the pages. It folds the list of pages on a phone, copies code, marks the part that is read, and shows what
 * a search finds while somebody types. It inserts what was found as text, never as markup.
 */
export const GUIDE_SCRIPT = `'use strict';
const narrow = matchMedia('(max-width: 60rem)');
const menu = document.querySelector('.pages > details');
const fold = () => { menu.open = !narrow.matches; };
fold();
narrow.addEventListener('change', fold);
const current = menu.querySelector('[aria-current]');
if (current && !narrow.matches) current.scrollIntoView({ block: 'center' });

for (const button of document.querySelectorAll('.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = button.closest('.code').querySelector('code').textContent;
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand('copy');
      area.remove();
    }
    button.textContent = done ? 'Copied' : 'Could not copy';
    button.animate([], { duration: 1500 }).onfinish = () => { button.textContent = 'Copy'; };
  });
}

const parts = [...document.querySelectorAll('.toc a')];
if (parts.length > 0) {
  const headings = parts.map((part) => document.getElementById(decodeURIComponent(part.hash.slice(1))));
  const mark = () => {
    const top = innerHeight / 4;
    const passed = headings.filter((heading) => heading && heading.getBoundingClientRect().top < top).length;
    parts.forEach((part, at) => part.classList.toggle('at', at === Math.max(0, passed - 1)));
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

const form = document.querySelector('.find');
const field = form.elements.q;
const list = document.getElementById('found');
let chosen = -1;
let asked = 0;

const choose = (to) => {
  const options = [...list.children].filter((item) => item.href);
  if (options.length === 0) return;
  chosen = (to + options.length) % options.length;
  options.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)));
  options[chosen].scrollIntoView({ block: 'nearest' });
  field.setAttribute('aria-activedescendant', options[chosen].id);
};
const show = (items) => {
  // An answer to the last letter may come after the first key of a choice.
  const last = list.children[chosen]?.href;
  chosen = -1;
  field.removeAttribute('aria-activedescendant');
  list.hidden = items === null;
  field.setAttribute('aria-expanded', String(items !== null));
  if (items === null) return;
  list.replaceChildren(...items.map(({ href, titles, snippet }, at) => {
    const link = document.createElement('a');
    link.href = href;
    link.id = 'found-' + at;
    link.setAttribute('role', 'option');
    const title = document.createElement('strong');
    title.textContent = titles.join(' \\u203a ');
    const text = document.createElement('span');
    for (const { text: words, isHit } of snippet) {
      const part = document.createElement(isHit ? 'mark' : 'span');
      part.textContent = words;
      text.append(part);
    }
    link.append(title, text);
    return link;
  }));
  if (items.length === 0) {
    const none = document.createElement('p');
    none.textContent = 'No page has these words.';
    list.append(none);
  }
  const again = last === undefined ? -1 : [...list.children].findIndex(({ href }) => href === last);
  if (again >= 0) choose(again);
};
const search = async () => {
  const words = field.value.trim();
  const turn = ++asked;
  if (words === '') return show(null);
  try {
    const answer = await fetch('/docs/find.json?' + new URLSearchParams({ q: words }));
    const items = await answer.json();
    if (turn === asked && answer.ok) show(items);
  } catch {
    if (turn === asked) show(null);
  }
};
field.addEventListener('input', search);
field.addEventListener('focus', () => { if (field.value.trim() !== '') search(); });
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    choose(chosen + (event.key === 'ArrowDown' ? 1 : chosen < 0 ? 0 : -1));
  } else if (event.key === 'Escape') {
    show(null);
    field.blur();
  } else if (event.key === 'Enter' && chosen >= 0) {
    event.preventDefault();
    location.href = list.children[chosen].href;
  }
});
list.addEventListener('click', () => show(null));
document.addEventListener('click', (event) => { if (!form.contains(event.target)) show(null); });
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select');
  const asks = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!asks) return;
  event.preventDefault();
  field.focus();
  field.select();
});
`;

/** The hash of the script, as a Content-Security-Policy names it. */
export const GUIDE_SCRIPT_HASH = `sha256-${createHash('sha256').update(GUIDE_SCRIPT).digest('base64')}`;
