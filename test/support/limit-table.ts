import type { LimitsOption } from 'passport-sms-otp';
import { limitsSchema } from '../../src/limits/options';
import { createLimitTable, type LimitTable } from '../../src/limits/rows';

/** The table of limits as an app has it: by default with known browsers, and texted codes alone. */
export function limitTable(
  limits: LimitsOption = {},
  {
    hasKnownBrowsers = true,
    gapSeconds = 30,
    methods = ['sms'],
  }: {
    readonly hasKnownBrowsers?: boolean;
    readonly gapSeconds?: number;
    readonly methods?: readonly string[];
  } = {},
): LimitTable {
  const settings = { limits: limitsSchema.parse(limits), hasKnownBrowsers, gapSeconds };
  return createLimitTable(settings, methods);
}
