import { z } from 'zod';
import { findProxyProblem, readBaseUrl, type GatewayAddress } from './base-url';
import type { GatewayClientOptions, GatewayTimeouts } from './client-options';
import type { GatewayEventListener } from './events';
import {
  callback,
  certificateAuthority,
  filledText,
  tokenStore,
  toOptionError,
  wholeNumber,
  wrongOption,
} from './option-rules';

/** Named in front of every complaint. */
const MAKER = 'GatewayClient';

const TIMEOUT_CEILING_MS = 60_000;

/** An authentication must end within the lease on the shared token, which lasts 15 s. */
const AUTH_CEILING_MS = 12_000;

/** Every default and every bound of `GatewayTimeouts`. */
const timeoutsSchema = z.strictObject({
  connectMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(3_000),
  authMs: wholeNumber(1, AUTH_CEILING_MS).default(10_000),
  generateMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(10_000),
  validateMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(10_000),
  lookupMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(2_000),
  balanceMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(5_000),
  pricingMs: wholeNumber(1, TIMEOUT_CEILING_MS).default(30_000),
}) satisfies z.ZodType<GatewayTimeouts>;

/** Every default and every bound of `GatewayClientOptions`. */
const optionsSchema = z.strictObject({
  baseUrl: z.string('must be an http or https URL'),
  variant: z.enum(['A', 'B'], "must be 'A' or 'B'"),
  username: filledText(),
  password: filledText(),
  numbersAs: z.enum(['string', 'number'], "must be 'string' or 'number'").default('string'),
  maxPinDigits: wholeNumber(4, 10).default(10),
  tokenValiditySeconds: wholeNumber(60, 86_400).optional(),
  preserveToken: z.boolean('must be a boolean').optional(),
  timeouts: timeoutsSchema.prefault({}),
  connections: wholeNumber(1, 1_000).default(50),
  queueLimit: wholeNumber(0, 20_000).default(200),
  ca: z
    .union([certificateAuthority(), z.array(certificateAuthority())], 'must hold certificates as PEM')
    .default([]),
  proxyUrl: z.string('must be an http or https URL').optional(),
  tokenStore: tokenStore().optional(),
  acceptMissingPayload: z.boolean('must be a boolean').default(false),
  onEvent: callback<GatewayEventListener>().optional(),
  now: callback<() => number>().default(() => Date.now),
});

/** The options, checked and completed. */
export interface ClientSettings extends Omit<z.output<typeof optionsSchema>, 'baseUrl'> {
  readonly address: GatewayAddress;
  readonly preserveToken: boolean;
}

/**
 * Checks the options of a client.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readOptions(options: GatewayClientOptions): ClientSettings {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw toOptionError(MAKER, parsed.error);
  const { baseUrl, ...rest } = parsed.data;
  const address = readBaseUrl(baseUrl);
  if ('problem' in address) throw wrongOption(MAKER, 'baseUrl', address.problem);
  const { variant, proxyUrl, tokenValiditySeconds, preserveToken } = rest;
  const proxyProblem = proxyUrl === undefined ? null : findProxyProblem(proxyUrl, address);
  if (proxyProblem !== null) throw wrongOption(MAKER, 'proxyUrl', proxyProblem);
  if (variant === 'B') refuseInB({ tokenValiditySeconds, preserveToken });
  return { ...rest, address, preserveToken: variant === 'A' && preserveToken !== false };
}

/** OTP spec §4, POST auth: `validity` and `preserve` exist in A only. */
function refuseInB(options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) throw wrongOption(MAKER, name, 'exists in variant A only');
  }
}
