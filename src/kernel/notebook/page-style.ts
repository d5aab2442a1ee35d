/** The style of an exported page, for light and dark mode, print and small screens. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --paper: #ffffff; --shade: #f5f7f9;
  --accent: #1a62c6; --bad: #b3261e; --text: #0b6e4f; --number: #8a4b00; --word: #6b3fa0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #343c47; --paper: #14181d;
  --shade: #1c2229; --accent: #7db1ff; --bad: #ff8a80; --text: #7fd6b0; --number: #f0b26b; --word: #c7a6f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .6rem; }
h1 { font-size: 1.9rem; margin-top: 0; }
h2 { font-size: 1.35rem; }
a { color: var(--accent); }
pre, code, kbd, samp { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86rem; }
pre { margin: 0; overflow-x: auto; line-height: 1.5; }
.markdown code { background: var(--shade); padding: .1em .3em; border-radius: 4px; }
.markdown pre { margin: .8rem 0; }
.markdown img, .output img { max-width: 100%; height: auto; }
.cell { margin: 1.4rem 0; }
.chart svg { max-width: 100%; height: auto; }
nav { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; margin: 0 0 1.6rem; font-size: .92rem; }
nav ul { list-style: none; margin: .4rem 0 0; padding: 0; }
nav .level3 { padding-left: 1.2rem; }
summary { cursor: pointer; color: var(--soft); }
.fold > summary { font: .72rem/1.6 ui-monospace, monospace; }
.prompt { color: var(--soft); font: .72rem/1.6 ui-monospace, monospace; }
pre.code { background: var(--shade); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; }
.output { margin: .6rem 0 0; overflow-x: auto; padding: 0 .1rem; }
.output img { display: block; background: #fff; border-radius: 6px; }
@media (prefers-color-scheme: dark) { .chart img { filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; border-radius: 0; } }
.output td img, .output th img { display: inline; background: none; }
pre.output { padding: .2rem 1rem; }
.stderr { border-left: 3px solid var(--bad); color: var(--bad); }
.error { border-left: 3px solid var(--bad); padding: .3rem 1rem; }
.error p { color: var(--bad); margin: 0 0 .4rem; }
.unseen, small { color: var(--soft); }
table { border-collapse: collapse; border: 0; font-size: .86rem; font-variant-numeric: tabular-nums; margin: .3rem 0; }
th, td { border: 0; border-bottom: 1px solid var(--line); padding: .28rem .75rem; text-align: inherit; white-space: nowrap; }
.dataframe th, .dataframe td { text-align: right; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr:hover { background: var(--shade); }
.comment { color: var(--soft); font-style: italic; }
.text { color: var(--text); }
.number { color: var(--number); }
.keyword { color: var(--word); }
@media print { .cell { break-inside: avoid; } }
`;
