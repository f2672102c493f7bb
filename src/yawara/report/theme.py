"""The look of a report: colours of light and dark, type, tables, figures, paper."""

# Dark colours are for screens only, so paper is always white. s0 to s7 are the palette of colour.py, lightened for the dark.
CSS = """
:root { color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1d2126; --soft: #5b636d; --rule: #e2e4e6; --head: #f1f2f2;
  --grid: #e6e8ea; --axis: #9aa1a9; --ground: #c3c9d0; --accent: #0072b2;
  --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #cc79a7; --s4: #e69f00; --s5: #56b4e9; --s6: #1d2126; --s7: #d9cc2b; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #13161a; --card: #1a1e24; --ink: #e7eaee; --soft: #9ca6b1; --rule: #2d333b; --head: #20252c;
  --grid: #2a3038; --axis: #66707c; --ground: #434c57; --accent: #5fb3ea;
  --s0: #3d9fdc; --s1: #f07f2e; --s2: #2bbf94; --s3: #de93bd; --s4: #f0b429; --s5: #8fd0f7; --s6: #e7eaee; --s7: #f0e442; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.55; font-size: 16px;
  font-family: system-ui, -apple-system, "Segoe UI", "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 3rem 1.5rem 5rem; }
header { border-bottom: 1px solid var(--rule); padding-bottom: 1.4rem; margin-bottom: 2.2rem; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; font-weight: 680; margin: 0; text-wrap: balance; }
h2 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -.005em; font-weight: 640; margin: 2.6rem 0 .9rem; }
header p { margin: .5rem 0 0; color: var(--soft); font-size: 1.05rem; max-width: 46rem; }
p, ul, ol, pre { max-width: 46rem; }
a { color: var(--accent); }
code, pre { font: .88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 1.1rem; margin: 1.1rem 0; }
.row.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
.shots { display: flex; flex-wrap: wrap; justify-content: center; gap: 1.1rem; margin: 1.1rem 0; }
.shots > figure { margin: 0; flex: 0 1 max(min(100%, 19rem), calc((100% - 2.2rem) / 3)); }
.shots.by2 > figure { flex-basis: max(min(100%, 27rem), calc((100% - 1.1rem) / 2)); }
.key { max-width: none; margin: .6rem 0; font-size: .93rem; }
.key span { display: inline-block; margin-right: 1.3rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .45em; print-color-adjust: exact; }
figure { margin: 1.1rem 0; padding: .9rem .9rem .7rem; background: var(--card); border: 1px solid var(--rule);
  border-radius: 10px; min-width: 0; overflow-x: auto; }
.row > figure { margin: 0; }
figcaption { color: var(--soft); font-size: .9rem; line-height: 1.45; margin: .45rem .2rem 0; }
svg.drawing { display: block; width: 100%; height: auto; margin: 0 auto; }
.drawing .title, .drawing .label { fill: var(--ink); }
.drawing .tick, .drawing .mark { fill: var(--soft); }
.picture text { paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
.drawing .grid { stroke: var(--grid); }
.drawing .axis, .drawing .mark { stroke: var(--axis); }
.drawing .ground { stroke: var(--ground); }
.drawing text { font-variant-numeric: tabular-nums; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); }
.s4 { stroke: var(--s4); } .s5 { stroke: var(--s5); } .s6 { stroke: var(--s6); } .s7 { stroke: var(--s7); }
.table { overflow-x: auto; margin: 1.1rem 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: .93rem; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .7rem; text-align: left; vertical-align: baseline; }
th { background: var(--head); font-weight: 600; vertical-align: bottom; }
tbody tr + tr td { border-top: 1px solid var(--rule); }
.number { text-align: right; }
td.number, .short { white-space: nowrap; }
.long { min-width: 9rem; }
.sortable th { padding: 0; }
.sortable button { all: unset; box-sizing: border-box; width: 100%; padding: .5rem .7rem; cursor: pointer; }
.sortable button:hover { color: var(--accent); }
.sortable button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.sortable th[aria-sort=ascending] button::after { content: " ↑"; }
.sortable th[aria-sort=descending] button::after { content: " ↓"; }
.unit { color: var(--soft); font-weight: 400; white-space: nowrap; }
.note { border: 1px solid var(--rule); border-left: 4px solid var(--s0); border-radius: 8px; background: var(--card); padding: .7rem 1rem;
  margin: 1.1rem 0; max-width: 52rem; overflow-wrap: break-word; }
.note.caution { border-color: var(--s4); background: color-mix(in srgb, var(--s4) 10%, var(--card)); }
.note ul { margin: .3rem 0 0; padding-left: 1.2rem; max-width: none; }
/* Telephones hide their scroll bars, which would hide that there is more */
figure::-webkit-scrollbar, .table::-webkit-scrollbar, pre::-webkit-scrollbar { height: 9px; }
figure::-webkit-scrollbar-thumb, .table::-webkit-scrollbar-thumb, pre::-webkit-scrollbar-thumb { background: var(--axis);
  border-radius: 5px; }
@media screen and (max-width: 34rem) {
  main { padding: 1.6rem .75rem 3rem; }
  h1 { font-size: 1.6rem; overflow-wrap: anywhere; }
  figure { padding: .5rem .4rem; }
  th, td, .sortable button { padding: .4rem .5rem; }
  .sortable th { padding: 0; } }
@media print {
  body { background: none; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  figure, .table, pre { break-inside: avoid; border-color: #ccc; }
  h1, h2 { break-after: avoid; }
  .row { grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .6rem; }
  .row.wide { grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); }
  svg.drawing, th { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""
