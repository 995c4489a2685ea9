import { z } from 'zod';
import { parseOptions, policyMode, strictOptions } from '../define-options';
import { createNumberTypes } from '../limits/built-in';
import type { Policy } from '../limits/policy';

/** Types that some apps accept and others must not. */
const DENIABLE = ['VOIP', 'FIXED_LINE'] as const;

const schema = strictOptions({
  /** `enforce` or `report`. Default: `enforce`. */
  mode: policyMode('enforce'),
  /** More types to deny: `VOIP`, `FIXED_LINE`. Default: none. */
  alsoDeny: z
    .array(
      z.enum(DENIABLE, `must be one of ${DENIABLE.join(', ')}`),
      `must be a list of ${DENIABLE.join(', ')}`,
    )
    .default([]),
});

/** Options of `numberTypes`. Unknown fields are errors. */
export type NumberTypesOptions = z.input<typeof schema>;

/**
 * Denies numbers of types to which no code should be sent: premium rate, shared cost, toll free,
 * company and personal numbers, pagers, voice mail. Numbers of unknown ranges are allowed, and so
 * are all mobile numbers. Every app has this policy; adding it to `policies` replaces the built-in
 * one.
 * @throws {TypeError} that names the option.
 */
export function numberTypes(options: NumberTypesOptions = {}): Policy<unknown> {
  const { mode, alsoDeny } = parseOptions('numberTypes', schema, options);
  return createNumberTypes(mode, alsoDeny);
}
