import { z } from 'zod';
import { parseOptions, policyMode, strictOptions } from '../define-options';
import { createNumberTypes } from '../limits/built-in';
import type { Policy, PolicyMode } from '../limits/policy';

/** Ranges that some apps text and others must not. */
const DENIABLE = ['VOIP', 'PERSONAL_NUMBER', 'FIXED_LINE'] as const;

/** What `numberTypes` is made of. */
export interface NumberTypesOptions {
  /** Default: `enforce`. */
  readonly mode?: PolicyMode | undefined;
  /** More types to deny: `VOIP`, `PERSONAL_NUMBER` (+44 70, dear), `FIXED_LINE`. Default: none. */
  readonly alsoDeny?: readonly (typeof DENIABLE)[number][] | undefined;
}

const schema = strictOptions({
  mode: policyMode('enforce'),
  alsoDeny: z
    .array(
      z.enum(DENIABLE, `must be one of ${DENIABLE.join(', ')}`),
      `must be a list of ${DENIABLE.join(', ')}`,
    )
    .default([]),
});

/**
 * Denies numbers of ranges that no login's code belongs to: premium rate, shared cost, toll free, company numbers, pagers,
 * voice mail. A number whose range no list knows passes, and so does every mobile one. Every app has this policy; adding it
 * to `policies` replaces the built-in one.
 * @throws {TypeError} that names the option.
 */
export function numberTypes(options: NumberTypesOptions = {}): Policy<unknown> {
  const { mode, alsoDeny } = parseOptions('numberTypes', schema, options);
  return createNumberTypes(mode, alsoDeny);
}
