/** Colours, and what lies around the phone. */
export const DESK_LOOK = `
:root {
  color-scheme: light dark;
  --desk: #e9edf5;
  --glow-one: #c9d8ff;
  --glow-two: #ffe3d3;
  --ink: #131722;
  --soft: #565d6d;
  --screen: #ffffff;
  --bar: #f7f8fa;
  --line: #e3e6ec;
  --bubble: #eceef2;
  --accent: #1d5bd8;
  --on-accent: #ffffff;
  --tint: #e3ecff;
  --good: #12793c;
  --bad: #b3261e;
  --case: #14161c;
  --edge: #3a3f4b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --desk: #0d1017;
    --glow-one: #17295c;
    --glow-two: #3d1f33;
    --ink: #eef1f7;
    --soft: #a3abbd;
    --screen: #0b0c10;
    --bar: #14161c;
    --line: #262a34;
    --bubble: #232731;
    --accent: #8db4ff;
    --on-accent: #0a1a3d;
    --tint: #1c2b52;
    --good: #5ed38b;
    --bad: #ff9a90;
    --case: #1c1f27;
    --edge: #4a5060;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { height: 100%; }
body {
  margin: 0;
  min-height: 100%;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: var(--ink);
  background:
    radial-gradient(60rem 40rem at 85% -10%, var(--glow-one), transparent 70%),
    radial-gradient(50rem 40rem at 0% 110%, var(--glow-two), transparent 70%),
    var(--desk);
  background-attachment: fixed;
}
h1, h2, p, ol, dl, dd { margin: 0; padding: 0; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.desk {
  display: grid;
  grid-template-columns: minmax(0, 24rem) auto;
  gap: clamp(2rem, 7vw, 7rem);
  align-items: center;
  justify-content: center;
  min-height: 100vh;
  min-height: 100dvh;
  padding: 1.5rem 2rem;
}
h1 { font-size: clamp(2.75rem, 5vw, 4rem); line-height: 1.05; letter-spacing: -.035em; }
.lead { margin-top: 1rem; font-size: 1.125rem; color: var(--soft); }
.facts { display: grid; gap: .75rem; margin-top: 1.75rem; }
dt { font-size: .875rem; color: var(--soft); }
dd { font-weight: 550; overflow-wrap: anywhere; user-select: all; }
.notice { margin-top: 1rem; padding: .75rem 1rem; border-radius: .75rem; background: var(--screen); }
a { color: var(--accent); }
.connection {
  display: inline-flex;
  align-items: center;
  gap: .5rem;
  margin-top: 1.5rem;
  padding: .3rem .85rem .3rem .7rem;
  border: 1px solid var(--line);
  border-radius: 99rem;
  background: var(--screen);
  font-size: .9rem;
  font-weight: 550;
}
.connection::before {
  content: "";
  width: .6rem;
  height: .6rem;
  border-radius: 50%;
  background: var(--soft);
}
.connection[data-state="live"]::before { background: var(--good); animation: pulse 2.4s ease-out infinite; }
.connection[data-state="lost"]::before { background: var(--bad); }
@keyframes pulse {
  from { box-shadow: 0 0 0 0 color-mix(in srgb, var(--good) 55%, transparent); }
  70%, to { box-shadow: 0 0 0 .5rem transparent; }
}
@media (max-width: 760px) {
  .desk { display: flex; flex-direction: column; gap: 0; align-items: stretch; height: 100dvh; padding: 0; }
  .intro { display: flex; align-items: center; gap: .6rem; padding: .6rem 1rem; background: var(--bar); }
  h1 { font-size: 1.125rem; letter-spacing: -.01em; line-height: 1.5; }
  .lead, .facts { display: none; }
  .connection { margin: 0 0 0 auto; font-size: .8rem; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before { animation: none !important; scroll-behavior: auto !important; }
}
`;
