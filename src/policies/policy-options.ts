import { z } from 'zod';
import { toOptionError } from '../client/option-rules';
import type { Policy } from './policy';

/** Whether a policy's no counts, or is only told as an event. */
export type PolicyMode = NonNullable<Policy['mode']>;

/** The option `mode`. */
export function policyMode(
  fallback: PolicyMode,
): z.ZodDefault<z.ZodEnum<{ deny: 'deny'; record: 'record' }>> {
  return z.enum(['deny', 'record'], "must be 'deny' or 'record'").default(fallback);
}

/**
 * Checks the options of a policy and fills in the defaults.
 * @param maker the factory, named in front of every complaint.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readPolicyOptions<Schema extends z.ZodType>(
  maker: string,
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (!parsed.success) throw toOptionError(maker, parsed.error);
  return parsed.data;
}
