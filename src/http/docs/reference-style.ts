/** The look of the web inbox, for the operations of the APIs. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1a1d23, #e9ebef); --faint: light-dark(#484e5a, #b4bac6); --paper: light-dark(#ffffff, #15171b);
  --panel: light-dark(#f6f7f9, #1a1d22); --line: light-dark(#e3e5ea, #2a2e36); --link: light-dark(#3441ae, #b5beff);
  --read: light-dark(#0b6b3a, #6fd39b); --write: light-dark(#8a4b00, #f0b35e); --remove: light-dark(#a61b2b, #ff8d97);
  --accent: light-dark(#3948cb, #3746d2); --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre, .method { font: .875em/1.5 var(--mono) }
code { overflow-wrap: anywhere }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; padding: .6rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--line) }
.brand { font-weight: 600; color: var(--ink); text-decoration: none; margin-right: auto }
.brand small { font-weight: 400; color: var(--faint) }
.key { display: flex; align-items: center; gap: .5rem; font-size: .8rem; color: var(--faint); white-space: nowrap }
input, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .375rem; padding: .35rem .6rem; min-width: 0; width: 100% }
textarea, .field input { font: .8125rem/1.5 var(--mono) }
textarea { resize: vertical; display: block }
.key input { width: 13rem; max-width: 45vw }
nav { padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); font-size: .875rem }
nav summary { font-weight: 600; padding: .25rem 0 }
nav #filter { margin: .5rem 0 }
nav h2 { font-size: .7rem; letter-spacing: .08em; text-transform: uppercase; color: var(--faint); margin: 1.25rem 0 .25rem }
nav h3 { font-size: .875rem; margin: .75rem 0 .15rem }
nav h3 a { color: var(--ink) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .2rem .4rem; margin: 0 -.4rem; border-radius: .3rem; color: var(--faint); line-height: 1.35 }
nav li a:hover { background: var(--panel); color: var(--ink) }
nav li .method { flex: 0 0 2.75rem; font-size: .65rem }
nav a { text-decoration: none }
main { max-width: 58rem; padding: 1.25rem 1.25rem 6rem; min-width: 0 }
h1 { margin: 3.5rem 0 .5rem; line-height: 1.2; letter-spacing: -.01em; scroll-margin-top: 4rem }
h1:first-child { margin-top: .75rem }
h1 small { color: var(--faint); font-weight: 400; font-size: .55em }
main > h2 { margin: 2.5rem 0 0; font-size: 1.25rem; scroll-margin-top: 4rem }
main > h2 + p { margin: .15rem 0 .75rem; color: var(--faint) }
h4 { margin: 1.25rem 0 .25rem; font-size: .75rem; letter-spacing: .04em; color: var(--faint) }
summary { cursor: pointer }
section { margin: .5rem 0; border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 4rem }
section > details > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem 1rem; padding: .6rem 1rem; list-style: none; border-radius: .5rem }
section > details > summary::-webkit-details-marker { display: none }
section > details > summary:hover { background: var(--panel) }
section > details[open] > summary { border-bottom: 1px solid var(--line); border-radius: .5rem .5rem 0 0; background: var(--panel) }
section > details > :not(summary) { margin-left: 1rem; margin-right: 1rem }
section > details > :last-child { margin-bottom: 1rem }
section:target { border-color: var(--accent) }
.route { display: flex; gap: .75rem; align-items: baseline; min-width: 0 }
.what { color: var(--faint); font-size: .925rem; flex: 1 1 14rem; text-align: right }
.method { font-weight: 700; color: var(--write); flex: 0 0 3.6rem }
.method.get { color: var(--read) }
.method.delete { color: var(--remove) }
.try { margin-top: 1rem }
.field { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: .1rem 1rem; margin: .6rem 0; align-items: baseline }
.field .name small { display: block; color: var(--faint); font-size: .75rem }
.field .name { grid-row: 1 / 3 }
.field .note { grid-column: 2; color: var(--faint); font-size: .825rem }
.request { position: relative; margin-top: 1rem }
.request pre { padding-right: 10.5rem; white-space: pre-wrap; overflow-wrap: anywhere }
.actions { position: absolute; top: .5rem; right: .5rem; display: flex; gap: .4rem }
button { font: 600 .8rem/1 system-ui, sans-serif; padding: .5rem .8rem; border-radius: .375rem; border: 1px solid var(--line); background: var(--paper); color: var(--ink); cursor: pointer }
button:hover { border-color: var(--accent) }
.send { background: var(--accent); border-color: var(--accent); color: #fff }
button:disabled { opacity: .6; cursor: progress }
.response p { margin: .75rem 0 .35rem; font: 600 .85rem/1.4 var(--mono) }
.response pre { max-height: 28rem; overflow: auto }
.ok { color: var(--read) }
.bad { color: var(--remove) }
.local { font-size: .7rem; line-height: 1; padding: .1rem .35rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--write); white-space: nowrap }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-top: 1px solid var(--line) }
tr:first-child > * { border-top: 0 }
th { font-weight: 400; white-space: nowrap }
td:last-child { width: 50% }
.errors, .example { margin-top: .6rem }
.errors > summary, .example > summary { color: var(--faint); font-size: .85rem }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .375rem; font-size: .8125rem }
@media (max-width: 40rem) {
  .field { grid-template-columns: minmax(0, 1fr) }
  .field .name { grid-row: auto }
  .field .note { grid-column: 1 }
  .field .name small { display: inline; margin-left: .35rem }
  .what { flex-basis: 100%; text-align: left }
  .request pre { padding-right: 1rem; padding-bottom: 3.25rem }
  .actions { top: auto; bottom: .5rem }
  header { position: static }
  section, h1, main > h2 { scroll-margin-top: 1rem }
  .key { flex: 1 1 100% }
  .key input { max-width: none; flex: 1 }
}
@media (min-width: 60.0625rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); grid-template-rows: auto 1fr }
  header { grid-column: 1 / -1 }
  nav { position: sticky; top: 3.4rem; height: calc(100vh - 3.4rem); overflow-y: auto; border: 0; border-right: 1px solid var(--line) }
  nav > details > summary { display: none }
  main { padding: 1.25rem 2.5rem 6rem }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
`;
