/** The first that fits: many browsers name the others as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_AGENT_LENGTH = 512;

/** What a user may recognise a device by, such as `Firefox, Windows`: our own words alone, never the header's; empty when it says nothing we know. */
export function toDeviceLabel(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
  return [BROWSERS, SYSTEMS].flatMap((known) => findName(known, agent)).join(', ');
}

function findName(known: readonly (readonly [RegExp, string])[], agent: string): readonly string[] {
  return known
    .filter(([pattern]) => pattern.test(agent))
    .map(([, name]) => name)
    .slice(0, 1);
}
