import { array, optional, picklist } from 'valibot';
import { parseOptions, strictOptions } from '../define-options';
import { originOf, type PhoneType } from './number-country';
import { type Policy, policyMode, type PolicyMode } from './policy';

/** Ranges that cost the caller, or reach no person's own phone. */
const DENIED: readonly PhoneType[] = [
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'UAN',
  'PAGER',
  'VOICEMAIL',
];

/** Ranges that some apps text and others must not. */
const DENIABLE = ['VOIP', 'PERSONAL_NUMBER', 'FIXED_LINE'] as const;

/** What `numberTypes` is made of. */
export interface NumberTypesOptions {
  /** Default: `deny`. */
  readonly mode?: PolicyMode | undefined;
  /** More types to deny: `VOIP`, `PERSONAL_NUMBER` (+44 70, dear), `FIXED_LINE`. Default: none. */
  readonly alsoDeny?: readonly (typeof DENIABLE)[number][] | undefined;
}

const LIST = `must be a list of ${DENIABLE.join(', ')}`;

const schema = strictOptions({
  mode: policyMode('deny'),
  alsoDeny: optional(array(picklist(DENIABLE, `must be one of ${DENIABLE.join(', ')}`), LIST), []),
});

/**
 * Denies numbers of ranges that no login's code belongs to: premium rate, shared cost, toll free, company numbers, pagers,
 * voice mail. A number whose range no list knows passes, and so does every mobile one.
 * @throws {TypeError} that names the option.
 */
export function numberTypes(options: NumberTypesOptions = {}): Policy<unknown> {
  const { mode, alsoDeny } = parseOptions('numberTypes', schema, options);
  const denied = new Set<PhoneType>([...DENIED, ...alsoDeny]);
  return {
    name: 'number-types',
    stage: 'send',
    mode,
    check: async (context) => {
      const { type } = await originOf(context);
      if (type === null || !denied.has(type)) return 'allow';
      return { deny: 'unsuitable-phone', because: [`a number of type ${type}`] };
    },
  };
}
