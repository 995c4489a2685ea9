/** The colors, and the page around the phone. */
const DESKTOP_STYLES = `
:root {
  color-scheme: light dark;
  --page: #e9edf5;
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
    --page: #0d1017;
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
    var(--page);
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
.page {
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
  .page { display: flex; flex-direction: column; gap: 0; align-items: stretch; height: 100dvh; padding: 0; }
  .intro { display: flex; align-items: center; gap: .6rem; padding: .6rem 1rem; background: var(--bar); }
  h1 { font-size: 1.125rem; letter-spacing: -.01em; line-height: 1.5; }
  .lead, .facts { display: none; }
  .connection { margin: 0 0 0 auto; font-size: .8rem; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before { animation: none !important; scroll-behavior: auto !important; }
}
`;

/** The phone and the messages on it. */
const PHONE_STYLES = `
.phone {
  width: 24rem;
  height: min(48rem, calc(100dvh - 3rem));
  min-height: 30rem;
  padding: .7rem;
  border-radius: 3.6rem;
  background: linear-gradient(145deg, var(--edge), var(--case) 18%, var(--case) 82%, var(--edge));
  box-shadow: 0 2.5rem 5rem -1.5rem rgb(10 20 50 / .45), 0 0 0 1px rgb(0 0 0 / .25);
}
.screen {
  display: flex;
  flex-direction: column;
  height: 100%;
  overflow: hidden;
  border-radius: 2.95rem;
  background: var(--screen);
}
.status-bar {
  display: grid;
  grid-template-columns: 1fr auto 1fr;
  align-items: center;
  padding: .7rem 1.7rem .3rem;
  background: var(--bar);
  font-size: .9rem;
  font-weight: 650;
  font-variant-numeric: tabular-nums;
}
.island { width: 6.2rem; height: 1.7rem; border-radius: 1rem; background: #000; }
.signals { display: flex; justify-content: flex-end; align-items: center; gap: .4rem; }
.bars {
  width: 1.05rem;
  height: .7rem;
  background: currentColor;
  clip-path: polygon(0 70%, 18% 70%, 18% 100%, 0 100%, 0 70%, 27% 48%, 45% 48%, 45% 100%, 27% 100%, 27% 48%, 54% 24%, 72% 24%, 72% 100%, 54% 100%, 54% 24%, 82% 0, 100% 0, 100% 100%, 82% 100%, 82% 0, 54% 24%, 27% 48%, 0 70%);
}
.battery { width: 1.5rem; height: .75rem; padding: 2px; border: 1.5px solid currentColor; border-radius: 4px; }
.battery::before { content: ""; display: block; width: 80%; height: 100%; border-radius: 1.5px; background: currentColor; }
.contact { padding: .35rem 0 .65rem; border-bottom: 1px solid var(--line); background: var(--bar); }
h2 { padding: 0 1.15rem; font-size: 1.5rem; letter-spacing: -.02em; line-height: 1.3; }
.recipients { display: flex; gap: .45rem; padding: .4rem 1.1rem .1rem; overflow-x: auto; scrollbar-width: thin; }
.recipients:empty { display: none; }
.recipient {
  flex: none;
  min-height: 2.1rem;
  padding: .2rem .8rem;
  border: 1px solid var(--line);
  border-radius: 99rem;
  background: var(--screen);
  font-size: .875rem;
  font-variant-numeric: tabular-nums;
}
.recipient[aria-current] {
  border-color: transparent;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
}
.threads { display: flex; flex: 1; flex-direction: column; min-height: 0; }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 1rem 1.1rem; scrollbar-width: thin; }
.log:focus-visible { outline-offset: -3px; }
.thread { display: flex; flex-direction: column; gap: 1.1rem; justify-content: flex-end; min-height: 100%; list-style: none; }
.message { max-width: 88%; }
.message.is-new { animation: arrive .28s cubic-bezier(.2, .9, .3, 1.2); }
@keyframes arrive { from { opacity: 0; transform: translateY(.6rem) scale(.97); } }
.meta { display: flex; gap: .5rem; padding: 0 .9rem .2rem; font-size: .8rem; color: var(--soft); }
.sender { font-weight: 600; }
.bubble {
  width: fit-content;
  padding: .6rem .95rem;
  border-radius: 1.3rem 1.3rem 1.3rem .4rem;
  background: var(--bubble);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.code {
  margin: 0 -.15rem;
  padding: 0 .15rem;
  border: 0;
  border-radius: .3rem;
  background: none;
  color: var(--accent);
  font-weight: 650;
  font-variant-numeric: tabular-nums;
  text-decoration: underline;
  text-decoration-thickness: 1.5px;
  text-underline-offset: .18em;
}
.code:hover, .code.is-copied { background: var(--tint); }
.empty { margin: auto; padding: 2rem; max-width: 19rem; text-align: center; color: var(--soft); }
.empty-title { margin: 1rem 0 .2rem; color: var(--ink); font-size: 1.125rem; font-weight: 650; }
.empty-bubble {
  display: inline-flex;
  gap: .4rem;
  padding: 1rem 1.2rem;
  border-radius: 1.6rem 1.6rem 1.6rem .5rem;
  background: var(--bubble);
}
.empty-bubble i { width: .6rem; height: .6rem; border-radius: 50%; background: var(--soft); opacity: .55; animation: dots 1.4s infinite; }
.empty-bubble i:nth-child(2) { animation-delay: .18s; }
.empty-bubble i:nth-child(3) { animation-delay: .36s; }
@keyframes dots { 30% { opacity: 1; transform: translateY(-.18rem); } 60% { transform: none; } }
.newest {
  display: grid;
  grid-template-columns: 1fr auto;
  align-items: center;
  gap: 0 .75rem;
  padding: .75rem 1.1rem .8rem;
  border-top: 1px solid var(--line);
  background: var(--bar);
}
.newest-label { overflow: hidden; font-size: .8rem; color: var(--soft); text-overflow: ellipsis; white-space: nowrap; }
.newest-code {
  grid-row: 2;
  font: 650 1.75rem/1.2 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
  letter-spacing: .08em;
}
.copy {
  grid-row: 1 / 3;
  grid-column: 2;
  min-width: 7.2rem;
  min-height: 2.75rem;
  padding: .5rem 1rem;
  border: 0;
  border-radius: .9rem;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
}
.copy:hover { filter: brightness(1.08); }
.copy.is-copied { background: var(--good); color: var(--screen); }
.home-bar { flex: none; padding: .1rem 0 .55rem; background: var(--bar); }
.newest[hidden] + .home-bar { background: var(--screen); }
.home-bar::before { content: ""; display: block; width: 8rem; height: .3rem; margin: auto; border-radius: 1rem; background: var(--ink); }
@media (max-width: 760px) {
  .phone { flex: 1; width: auto; height: auto; min-height: 0; padding: 0; border-radius: 0; background: none; box-shadow: none; }
  .screen { border-radius: 0; }
  .status-bar, .home-bar, h2 { display: none; }
  .contact:has(.recipients:empty) { padding: 0; }
  .contact { padding-top: 0; }
  .recipient { min-height: 2.75rem; }
  .newest { padding-bottom: max(.8rem, env(safe-area-inset-bottom)); }
}
`;

/** The page's style sheet. */
export const INBOX_STYLES = DESKTOP_STYLES + PHONE_STYLES;
