/** The look of the web inbox, for pages of text. */
export const GUIDE_STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#ffffff, #15171b); --side: light-dark(#f6f7f9, #101215); --raised: light-dark(#ffffff, #1d2026); --sunk: light-dark(#f6f7f9, #1a1d22);
  --ink: light-dark(#1a1d23, #e9ebef); --soft: light-dark(#484e5a, #b4bac6); --line: light-dark(#e3e5ea, #2a2e36); --edge: light-dark(#c9cdd6, #3b414c); --field: light-dark(#7e8491, #727987);
  --hover: light-dark(#eef0f3, #20242b); --at: light-dark(#e8ebfd, #262c4a); --accent: light-dark(#3441ae, #b5beff); --accent-ground: light-dark(#3948cb, #3746d2);
  --good: light-dark(#0a5c34, #73d7a4); --waiting: light-dark(#714300, #f1bd68); --violet: light-dark(#5e34a2, #cbadff); --mark: light-dark(#fff0c2, #4a3c10);
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  --shadow: 0 8px 32px light-dark(rgb(20 25 40 / .16), rgb(0 0 0 / .5)), 0 1px 3px light-dark(rgb(20 25 40 / .1), rgb(0 0 0 / .4));
  --head: 3.5rem;
}
*, ::before, ::after { box-sizing: border-box }
[hidden] { display: none !important }
html { scroll-padding-top: calc(var(--head) + 1rem); -webkit-text-size-adjust: 100% }
body { margin: 0; font: 400 1rem/1.6 var(--sans); color: var(--ink); background: var(--bg) }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
.skip { position: absolute; left: -99rem; top: .5rem; z-index: 9; padding: .5rem 1rem; background: var(--raised) }
.skip:focus { left: .5rem }

header { position: sticky; top: 0; z-index: 3; display: flex; align-items: center; gap: 1rem; height: var(--head); padding: 0 1.5rem; background: var(--bg); border-bottom: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: .5rem; flex: none; font-weight: 600; color: var(--ink); text-decoration: none; letter-spacing: -.01em }
.brand small { font-size: .8125rem; font-weight: 400; color: var(--soft) }
.top { display: flex; gap: 1.25rem; flex: none; margin-left: auto; font-size: .875rem }
.top a { color: var(--soft); text-decoration: none }
.top a:hover { color: var(--ink) }
.find { position: relative; flex: 1 1 20rem; max-width: 30rem; margin: 0 auto }
.find input { width: 100%; height: 2.25rem; padding: 0 2.25rem 0 .75rem; font: inherit; font-size: .9375rem; color: var(--ink); background: var(--sunk); border: 1px solid var(--field); border-radius: .5rem }
.find input::placeholder { color: var(--soft); opacity: 1 }
.find input::-webkit-search-cancel-button { display: none }
.find kbd { position: absolute; right: .55rem; top: .45rem; padding: 0 .4rem; font: 500 .75rem/1.35rem var(--mono); color: var(--soft); border: 1px solid var(--edge); border-radius: .25rem; pointer-events: none }
.find input:focus + kbd { display: none }
#found { position: absolute; top: calc(100% + .4rem); left: 0; right: 0; max-height: min(70vh, 34rem); overflow: auto; overscroll-behavior: contain; padding: .35rem; background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; box-shadow: var(--shadow) }
#found a, .found a { display: block; padding: .55rem .7rem; border-radius: .4rem; color: var(--ink); text-decoration: none }
#found a:hover, #found a[aria-selected=true] { background: var(--at) }
#found strong, .found strong { display: block; font-size: .875rem; font-weight: 600; line-height: 1.4 }
#found a > span, .found a > span { display: block; margin-top: .1rem; font-size: .8125rem; line-height: 1.45; color: var(--soft); overflow-wrap: anywhere }
#found p { margin: 0; padding: .6rem .7rem; font-size: .875rem; color: var(--soft) }
mark { background: var(--mark); color: inherit; border-radius: 2px; padding: 0 1px }

.pages { font-size: .875rem; line-height: 1.4 }
.pages summary { cursor: pointer; font-weight: 600; padding: .7rem 1.5rem }
.pages h2 { margin: 1.35rem 0 .3rem; padding: 0 .75rem; font-size: .75rem; font-weight: 600; letter-spacing: 0; color: var(--soft) }
.pages ul { list-style: none; margin: 0; padding: 0 }
.pages a { display: block; padding: .3rem .75rem; border-radius: .4rem; color: var(--ink); text-decoration: none }
.pages a:hover { background: var(--hover) }
.pages a[aria-current] { background: var(--at); color: var(--accent); font-weight: 600 }

main { min-width: 0; padding: 1.5rem 1.5rem 5rem }
article { min-width: 0; max-width: 46rem }
h1 { margin: 0 0 1rem; font-size: clamp(1.6rem, 1.2rem + 1.4vw, 2.15rem); line-height: 1.2; letter-spacing: -.02em; font-weight: 700; overflow-wrap: anywhere }
h1 small { font-size: .9375rem; font-weight: 400; letter-spacing: 0; color: var(--soft); white-space: nowrap }
.group { margin: 0 0 .25rem; font-size: .875rem; color: var(--soft) }
article h2 { margin: 2.75rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em }
article h3 { margin: 2rem 0 .5rem; font-size: 1.0938rem; line-height: 1.35 }
.to { margin-left: .15em; color: var(--field); font-weight: 400; text-decoration: none; opacity: 0 }
:is(h2, h3):hover > .to, .to:focus-visible { opacity: 1 }
p, article ul, article ol { margin: 0 0 1rem }
article ul, article ol { padding-left: 1.35rem }
article li { margin: .35rem 0 }
article li > ul { margin: .35rem 0 }
li::marker { color: var(--field) }
code, pre, kbd { font-family: var(--mono); font-variant-ligatures: none }
:not(pre) > code { font-size: .875em; padding: .1em .35em; background: var(--sunk); border: 1px solid var(--line); border-radius: .3rem; overflow-wrap: anywhere; -webkit-box-decoration-break: clone; box-decoration-break: clone }
:is(h1, h2, h3, a) > code { font-size: .9em }
a > code { color: inherit }
.elsewhere { text-decoration: underline dotted var(--field) }
.code { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--sunk); overflow: hidden }
figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 2.25rem; padding: 0 .5rem 0 1rem; font-size: .75rem; color: var(--soft); border-bottom: 1px solid var(--line) }
.copy { min-height: 1.65rem; padding: 0 .6rem; font: 500 .75rem/1 var(--sans); color: var(--soft); background: none; border: 1px solid transparent; border-radius: .35rem; cursor: pointer }
.copy:hover { color: var(--ink); background: var(--bg); border-color: var(--edge) }
pre { margin: 0; padding: .85rem 1rem; overflow-x: auto; font-size: .8438rem; line-height: 1.6; tab-size: 2 }
pre .comment { color: var(--soft) } pre .string { color: var(--good) } pre .keyword { color: var(--violet) } pre .call { color: var(--accent) } pre .number, pre .key { color: var(--waiting) }
.wide { margin: 0 0 1.25rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem }
table { width: 100%; border-collapse: collapse; font-size: .9063rem; line-height: 1.5 }
th, td { padding: .55rem .9rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line) }
thead th { border-top: 0; font-size: .8125rem; font-weight: 600; color: var(--soft); background: var(--sunk) }
thead:not(:has(th:not(:empty))) { display: none }
td { min-width: 9rem }
td:first-child code { overflow-wrap: normal }
.next { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
.next a { font-weight: 600; text-decoration: none }
.next a:last-child { text-align: right }
.next small { display: block; font-weight: 400; color: var(--soft) }

.toc { font-size: .8125rem; line-height: 1.4 }
.toc h2 { margin: 0 0 .5rem; font-size: .75rem; font-weight: 600; color: var(--soft) }
.toc ul { list-style: none; margin: 0; padding: 0; border-left: 1px solid var(--line) }
.toc a { display: block; margin-left: -1px; padding: .25rem 0 .25rem .85rem; color: var(--soft); text-decoration: none; border-left: 2px solid transparent; overflow-wrap: anywhere }
.toc a code { padding: 0; border: 0; background: none }
.toc .l3 a { padding-left: 1.6rem }
.toc a:hover { color: var(--ink) }
.toc a.at { color: var(--accent); border-color: var(--accent) }

.contents { max-width: 66rem }
.contents > h1 { margin-bottom: .5rem }
.lead { max-width: 46rem; font-size: 1.0625rem; color: var(--soft) }
.here { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 0 2rem; max-width: 46rem; margin: 1.25rem 0 }
.here dt { font-size: .8125rem; color: var(--soft) }
.here dd { margin: 0 0 .75rem }
.contents h2 { margin: 2.25rem 0 .75rem; padding: 0; border: 0; font-size: 1.0625rem }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); gap: .75rem; list-style: none; margin: 0; padding: 0 }
article .cards, article .found { padding: 0 }
.cards li { margin: 0; display: flex }
.cards a { flex: 1; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .6rem; color: var(--ink); text-decoration: none; transition: border-color .12s, background .12s }
.cards a:hover { border-color: var(--accent); background: var(--sunk) }
.cards strong { display: block; font-weight: 600; line-height: 1.4 }
.cards span { display: block; margin-top: .15rem; font-size: .875rem; line-height: 1.45; color: var(--soft) }
.cards.first a { background: var(--at); border-color: transparent }
.cards.first a:hover { border-color: var(--accent) }
.cards.first strong { color: var(--accent) }
.found { list-style: none; max-width: 46rem; margin: 0 -.7rem }
.found a:hover { background: var(--hover) }
.found i { font-style: normal; color: var(--soft) }

@media (max-width: 60rem) {
  .pages { border-bottom: 1px solid var(--line); background: var(--side) }
  .pages details > :not(summary) { margin-left: .75rem; margin-right: .75rem }
  .pages details[open] { padding-bottom: 1.25rem }
  .pages a { padding-top: .55rem; padding-bottom: .55rem }
  .toc { display: none }
}
@media (max-width: 40rem) {
  header { gap: .75rem; padding: 0 1rem }
  .top, .brand small, .find kbd { display: none }
  .find input { height: 2.5rem; font-size: 1rem; padding-right: .75rem }
  #found { position: fixed; top: calc(var(--head) + .25rem); left: .5rem; right: .5rem }
  .pages summary { padding-left: 1rem; padding-right: 1rem }
  main { padding: 1.25rem 1rem 4rem }
  pre { font-size: .8125rem }
  .wide table { font-size: .875rem }
  th, td { padding: .5rem .7rem }
}
@media (min-width: 60.0625rem) {
  body { display: grid; grid-template: auto minmax(0, 1fr) / 16.5rem minmax(0, 1fr) }
  header { grid-column: 1 / -1 }
  .pages { position: sticky; top: var(--head); height: calc(100vh - var(--head)); overflow-y: auto; overscroll-behavior: contain; padding: .25rem .75rem 2rem; background: var(--side); border-right: 1px solid var(--line) }
  .pages summary { display: none }
  main { padding: 2.25rem 3rem 6rem }
}
@media (min-width: 80rem) {
  main:has(.toc) { display: grid; grid-template-columns: minmax(0, 46rem) 13.5rem; column-gap: 4rem; justify-content: center }
  .toc { position: sticky; top: calc(var(--head) + 2.25rem); max-height: calc(100vh - var(--head) - 4rem); overflow-y: auto; align-self: start }
  .contents { margin: 0 auto }
}
@media (max-width: 79.9375rem) { .toc { display: none } }
@media (min-width: 100rem) { body { grid-template-columns: 19rem minmax(0, 1fr) } .pages { padding-left: 1.25rem } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
@media print { header, .pages, .toc, .next, .copy, .to { display: none !important } body, main { display: block } article { max-width: none } pre { white-space: pre-wrap } }
`;
