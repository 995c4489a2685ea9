import { optional, picklist, type GenericSchema } from 'valibot';
import type { Policy } from './policy';

/** Whether a policy's no counts, or is only told as an event. */
export type PolicyMode = NonNullable<Policy['mode']>;

/** The option `mode`. */
export function policyMode(fallback: PolicyMode): GenericSchema<PolicyMode | undefined, PolicyMode> {
  return optional(picklist(['deny', 'record'], "must be 'deny' or 'record'"), fallback);
}
