/** Plots as SVG, so that the page needs no script and no inline styles. They are styled in `ops.css`. */

const WIDTH = 600;
const HEIGHT = 160;
const LEFT = 56;
const BOTTOM = 28;
const TOP = 16;
const PLOT_WIDTH = WIDTH - LEFT;
const PLOT_HEIGHT = HEIGHT - BOTTOM - TOP;

/** One line or row of bars. */
export interface Row {
  readonly name: string;
  /** Oldest first; null: nothing to show. */
  readonly values: readonly (number | null)[];
}

/** Draws bars by the minute, the second row in front of the first. */
export function drawBars(title: string, rows: readonly Row[]): string {
  const top = ceilingOf(rows);
  const bars = rows.map(({ values }, row) => {
    const step = PLOT_WIDTH / values.length;
    const rects = values.map((value, index) => {
      const height = ((value ?? 0) / top) * PLOT_HEIGHT;
      if (height === 0) return '';
      return `<rect x="${round(LEFT + index * step + 1)}" y="${round(TOP + PLOT_HEIGHT - height)}" width="${round(step - 2)}" height="${round(height)}"/>`;
    });
    return `<g class="row-${row}">${rects.join('')}</g>`;
  });
  return frame(title, rows, top, bars.join(''));
}

/** Draws lines by the minute, with gaps where there is nothing to show. */
export function drawLines(title: string, rows: readonly Row[]): string {
  const top = ceilingOf(rows);
  const lines = rows.map(({ values }, row) => {
    const step = PLOT_WIDTH / values.length;
    const dots = values.map((value, index) => {
      if (value === null) return '';
      const y = TOP + PLOT_HEIGHT - (value / top) * PLOT_HEIGHT;
      return `<circle cx="${round(LEFT + (index + 0.5) * step)}" cy="${round(y)}" r="3"/>`;
    });
    return `<g class="row-${row}">${dots.join('')}</g>`;
  });
  return frame(title, rows, top, lines.join(''));
}

/** Adds the frame, and an accessible name that describes the plot in words. */
function frame(title: string, rows: readonly Row[], top: number, content: string): string {
  const newest = rows.map(({ name, values }) => `${name} ${values.at(-1) ?? 'none'}`).join(', ');
  const grid = [0, 0.5, 1].map((share) => {
    const y = round(TOP + PLOT_HEIGHT * (1 - share));
    const label = top * share;
    return `<line x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${round(label)}</text>`;
  });
  const times = [
    `<text x="${LEFT}" y="${HEIGHT - 4}">60 min ago</text>`,
    `<text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">now</text>`,
  ];
  return (
    `<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(`${title}. This minute: ${newest}.`)}">` +
    `<g class="grid">${grid.join('')}${times.join('')}</g>${content}</svg>`
  );
}

/** Returns a round upper bound of all values: 1, 2 or 5 times a power of ten, at least 2. */
function ceilingOf(rows: readonly Row[]): number {
  const most = Math.max(2, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
