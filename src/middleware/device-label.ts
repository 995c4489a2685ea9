/**
 * Returns a label by which a user may recognize a device, such as `Firefox, Windows`. It contains
 * only our own names, never words of the header; empty if no name is known.
 */
export function toDeviceLabel(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
  return [BROWSERS, SYSTEMS]
    .flatMap((known) => known.find(([pattern]) => pattern.test(agent))?.[1] ?? [])
    .join(', ');
}

type NamedPattern = readonly [RegExp, string];

/** The first match counts: many browsers name the others as well. */
const BROWSERS: readonly NamedPattern[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOP(?:R|T|iOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly NamedPattern[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_AGENT_LENGTH = 512;
