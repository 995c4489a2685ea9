type Colour = readonly [red: number, green: number, blue: number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/**
 * The backgrounds of both colour schemes in `pages.css` that text in the accent colour may have.
 */
const LIGHT_GROUND: Colour = [243, 246, 247];
const DARK_GROUND: Colour = [19, 35, 42];

const READABLE = 4.5;

/**
 * Returns the stylesheet of an accent colour: the colour, black or white for text on it, and for
 * links the nearest shade that is readable in light and in dark. Every contrast is at least 4.5.
 *
 * @param accent A colour as `#rgb` or `#rrggbb`.
 * @throws TypeError if it is not such a colour.
 */
export function accentStylesheet(accent: string): string {
  const colour = readColour(accent);
  if (!colour) throw new TypeError('accent is not a colour: write it as #rgb or #rrggbb');
  const onAccent = contrast(colour, WHITE) >= READABLE ? WHITE : BLACK;
  const strong = mix(colour, onAccent === WHITE ? BLACK : WHITE, 0.2);
  const link = makeReadable(colour, BLACK, LIGHT_GROUND);
  const darkLink = makeReadable(colour, WHITE, DARK_GROUND);
  return `:root {
  --accent: ${write(colour)};
  --accent-strong: ${write(strong)};
  --on-accent: ${write(onAccent)};
  --link: ${write(link)};
}

@media screen and (prefers-color-scheme: dark) {
  :root {
    --link: ${write(darkLink)};
  }
}
`;
}

/** Reads a colour. Null if it is not `#rgb` or `#rrggbb`. */
export function readColour(text: string): Colour | null {
  const [, short, long] = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text) ?? [];
  const digits = long ?? short?.replaceAll(/./g, '$&$&');
  if (digits === undefined) return null;
  const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** Mixes a colour towards black or white until it is readable on its background. */
function makeReadable(colour: Colour, towards: Colour, ground: Colour): Colour {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, towards, share);
    if (contrast(mixed, ground) >= READABLE) return mixed;
  }
  return towards;
}

function mix([red, green, blue]: Colour, other: Colour, share: number): Colour {
  const part = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return [part(red, other[0]), part(green, other[1]), part(blue, other[2])];
}

/** Returns the contrast of two colours by WCAG 2, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance([red, green, blue]: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function write([red, green, blue]: Colour): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
