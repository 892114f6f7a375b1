export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e4e8ee); --faint: light-dark(#5a6573, #9aa5b3); --paper: light-dark(#fff, #14181e);
  --panel: light-dark(#f4f6f8, #1c222a); --line: light-dark(#dde2e8, #303844); --link: light-dark(#0b5cad, #7ab8ff);
  --read: light-dark(#0b6b3a, #6fd39b); --write: light-dark(#8a4b00, #f0b35e); --remove: light-dark(#a61b2b, #ff8d97);
}
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
a { color: var(--link) }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre, .method { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { overflow-wrap: anywhere }
td:first-child { white-space: nowrap; width: 1% }
td:last-child { width: 60% }
nav { padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); font-size: .9rem }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li { padding: .15rem 0 }
nav a { text-decoration: none }
nav a:hover { text-decoration: underline }
main { max-width: 54rem; padding: 1rem 1.25rem 4rem; min-width: 0 }
h1 { margin: .5rem 0; line-height: 1.2 }
h1 small { color: var(--faint); font-weight: 400; font-size: .55em }
main > h2 { margin: 3rem 0 0; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { margin: 0 0 .25rem }
h4 { margin: 1rem 0 .25rem; font-size: .8rem; letter-spacing: .03em; color: var(--faint) }
section { margin: 1.5rem 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem }
section:target { border-color: var(--link) }
.route { margin: 0 }
.method { font-weight: 700; color: var(--write) }
.method.get { color: var(--read) }
.method.delete { color: var(--remove) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .925rem }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-top: 1px solid var(--line) }
tr:first-child > * { border-top: 0 }
th { font-weight: 400 }
details { margin-top: 1rem }
summary { cursor: pointer; color: var(--faint); font-size: .9rem }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; background: var(--panel); border-radius: .375rem }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line) }
  main { padding: 1rem 2.5rem 4rem }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
`;
