// Draws the charts from the table of the page, and keeps page and charts up to date. Without this
// script the page shows its tables as they were when it was loaded.
import uPlot from '/ops/uplot/uPlot.esm.js';

const EVERY_MS = 5_000;
const STALE_AFTER_MS = 3 * EVERY_MS;

const live = document.getElementById('ops-live');
const staleNotice = document.getElementById('ops-stale');
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const { timeZone } = live.dataset;
const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });

/**
 * The series of each chart: the column of the table, the name, the colour of `ops.css`, and the
 * width of a bar as a share of its room. Narrow bars are drawn in front of wide ones. A zero draws
 * nothing.
 */
const CHARTS = {
  texts: [
    { key: 'sent', label: 'Sent', color: '--plot-grey', bar: 0.8 },
    { key: 'verified', label: 'Codes entered', color: '--plot-blue', bar: 0.4 },
  ],
  methods: [
    { key: 'byText', label: 'By message', color: '--plot-grey', bar: 0.8 },
    { key: 'byOther', label: 'Otherwise', color: '--plot-blue', bar: 0.4 },
  ],
  attacks: [
    { key: 'denied', label: 'Refused sends', color: '--plot-grey', bar: 0.8 },
    { key: 'wrong', label: 'Wrong codes', color: '--plot-red', bar: 0.5 },
    { key: 'locks', label: 'Locks', color: '--plot-amber', bar: 0.2 },
  ],
  calls: [
    { key: 'answered', label: 'Answered', color: '--plot-grey', bar: 0.8 },
    { key: 'failed', label: 'Failed', color: '--plot-red', bar: 0.4 },
  ],
  latency: [
    // If two values are equal, the smaller point lies on the larger one.
    { key: 'p99', label: 'p99', color: '--plot-red', unit: ' ms', size: 11 },
    { key: 'p95', label: 'p95', color: '--plot-amber', unit: ' ms', size: 8 },
    { key: 'p50', label: 'p50', color: '--plot-blue', unit: ' ms' },
  ],
};

const plots = new Map();

function readColumns(keys) {
  const heads = [...live.querySelectorAll('#ops-points thead th')].map((head) => head.dataset.key);
  const rows = [...live.querySelectorAll('#ops-points tbody tr')];
  const readCell = (row, key) => {
    const text = row.cells[heads.indexOf(key)].textContent;
    return text === '' ? null : Number(text.replaceAll(',', ''));
  };
  return [
    rows.map((row) => Number(row.dataset.time)),
    ...keys.map((key) => rows.map((row) => readCell(row, key))),
  ];
}

function colorOf(name) {
  return getComputedStyle(live).getPropertyValue(name).trim();
}

/**
 * Returns the newest point of a chart with a value above zero, or the newest point of all. The
 * legend shows it while the pointer is not on the chart.
 */
function newestOf({ data: [times, ...series] }) {
  const found = times.findLastIndex((_time, index) => series.some((values) => values[index] > 0));
  return found === -1 ? times.length - 1 : found;
}

/** Returns the legend's value of a series, at the time under the pointer or the newest one. */
function legendOf(toText) {
  return (plot, _value, series, index) => {
    const value = plot.data[series][index ?? newestOf(plot)] ?? null;
    return value === null ? '–' : toText(value);
  };
}

/** Writes the highest value over each point, unless it would overlap the one before. */
function writeValues(plot) {
  const [times, ...series] = plot.data;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * ratio}px ${getComputedStyle(live).fontFamily}`;
  ctx.fillStyle = colorOf('--ink');
  ctx.textAlign = 'center';
  ctx.textBaseline = 'alphabetic';
  let end = bbox.left - bbox.width;
  times.forEach((time, index) => {
    const value = Math.max(0, ...series.map((values) => values[index] ?? 0));
    if (value === 0) return;
    const text = number.format(value);
    const half = ctx.measureText(text).width / 2;
    const right = bbox.left + bbox.width;
    const x = Math.min(plot.valToPos(time, 'x', true), right - half);
    if (x - half < end + 4 * ratio) return;
    ctx.fillText(text, x, plot.valToPos(value, 'y', true) - 8 * ratio);
    end = x + half;
  });
  ctx.restore();
}

function toSeries({ label, color, unit = '', bar = 0, size = 5 }) {
  const stroke = colorOf(color);
  return {
    label,
    stroke,
    width: 2,
    points: { show: bar === 0, size, fill: stroke },
    value: legendOf((value) => number.format(value) + unit),
    ...(bar > 0 && { fill: stroke, width: 0, paths: uPlot.paths.bars({ size: [bar, 50 * bar] }) }),
  };
}

/** Room for the widest number of the axis. */
function widthOfAxis(_plot, values) {
  return 18 + 8 * Math.max(1, ...(values ?? []).map((value) => value.length));
}

/** Seconds from one point to the next. */
function stepOf([[first, second]]) {
  return second - first;
}

function draw(section) {
  const series = CHARTS[section.dataset.chart];
  const target = section.querySelector('[data-plot]');
  const axis = {
    stroke: colorOf('--soft'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const toTicks = (_plot, values) =>
    values.map((value) => (Number.isInteger(value) ? number.format(value) : ''));
  const data = readColumns(series.map(({ key }) => key));
  const options = {
    width: target.clientWidth,
    height: 200,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_plot, first, last) => [first - stepOf(data) / 2, last + stepOf(data) / 2] },
      y: { range: (_plot, _least, most) => [0, Math.max(4, (most ?? 0) * 1.25)] },
    },
    axes: [
      {
        ...axis,
        space: 64,
        size: 32,
        values: (_plot, values) => values.map((value) => clock.format(value * 1000)),
      },
      { ...axis, size: widthOfAxis, values: toTicks },
    ],
    hooks: { draw: [writeValues] },
    series: [
      { label: 'Time', value: legendOf((value) => clock.format(value * 1000)) },
      ...series.map(toSeries),
    ],
  };
  plots.get(section)?.destroy();
  plots.set(section, new uPlot(options, data, target));
}

function drawAll() {
  for (const section of live.querySelectorAll('[data-chart]')) {
    section.hidden = false;
    draw(section);
  }
}

function updatePlots() {
  for (const [section, plot] of plots) {
    plot.setData(readColumns(CHARTS[section.dataset.chart].map(({ key }) => key)));
  }
}

/**
 * Makes an element like another and changes only what differs, so that a selection of text stays.
 */
function update(now, next) {
  if (now.nodeType === Node.TEXT_NODE) {
    if (now.data !== next.data) now.data = next.data;
    return;
  }
  if ('plot' in now.dataset) return;
  for (const { name, value } of next.attributes) {
    if (name !== 'hidden' && now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
  for (const { name } of [...now.attributes]) {
    if (name !== 'open' && name !== 'hidden' && !next.hasAttribute(name)) now.removeAttribute(name);
  }
  const [children, others] = [[...now.childNodes], [...next.childNodes]];
  others.forEach((other, index) => {
    const child = children[index];
    if (child === undefined) now.append(other);
    else if (child.nodeName !== other.nodeName) child.replaceWith(other);
    else update(child, other);
  });
  for (const child of children.slice(others.length)) child.remove();
}

let freshAt = Date.now();
let problem = '';
let title = document.title;

async function refresh() {
  if (document.hidden) return;
  problem = await load().catch(() => 'the server does not answer');
  showAge();
}

/** Returns what went wrong. Empty if the page is up to date. */
async function load() {
  const response = await fetch(location.href, {
    redirect: 'manual',
    signal: AbortSignal.timeout(EVERY_MS),
  });
  if (response.type === 'opaqueredirect') return 'your login is over';
  if (!response.ok) return `the server answered ${response.status}`;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  update(live, page.getElementById('ops-live'));
  title = page.title;
  freshAt = Date.now();
  updatePlots();
  return '';
}

/**
 * Announces that figures are old: at once if the server does not answer, and after a while for any
 * other reason.
 */
function showAge() {
  const isStale = problem !== '' || Date.now() - freshAt > STALE_AFTER_MS;
  const time = document.getElementById('ops-updated').textContent;
  const text = `These figures are old: ${problem || 'they were not updated'}. They are from ${time}. `;
  live.classList.toggle('stale', isStale);
  staleNotice.hidden = !isStale;
  document.title = isStale ? `OLD – ${title}` : title;
  if (staleNotice.firstChild?.data === text) return;
  staleNotice.textContent = text;
  if (problem !== 'your login is over') return;
  staleNotice.append(
    Object.assign(document.createElement('a'), { href: '/login', textContent: 'Log in again' }),
  );
}

document.getElementById('ops-reload').hidden = true;
drawAll();
new ResizeObserver(() => {
  for (const [section, plot] of plots) {
    const width = section.querySelector('[data-plot]').clientWidth;
    if (width !== plot.width) plot.setSize({ width, height: plot.height });
  }
}).observe(live);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
document.addEventListener('visibilitychange', refresh);
setInterval(refresh, EVERY_MS);
setInterval(showAge, 1_000);
