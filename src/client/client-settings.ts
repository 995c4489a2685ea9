import {
  array,
  boolean,
  optional,
  picklist,
  string,
  union,
  type GenericSchema,
  type InferOutput,
} from 'valibot';
import { findProxyProblem, readBaseUrl, type GatewayAddress } from './base-url';
import type { GatewayClientOptions, GatewayTimeouts } from './client-options';
import type { GatewayEventListener } from './events';
import {
  callback,
  certificateAuthority,
  filledText,
  parseOptions,
  strictOptions,
  tokenStore,
  wholeNumber,
  wrongOption,
} from './option-rules';

/** Named in front of every complaint. */
const MAKER = 'GatewayClient';

const TIMEOUT_CEILING_MS = 60_000;

/** An authentication must end within the lease on the shared token, which lasts 15 s. */
const AUTH_CEILING_MS = 12_000;

/** Every default and every bound of `GatewayTimeouts`. */
const timeoutsSchema = strictOptions({
  connectMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 3_000),
  authMs: optional(wholeNumber(1, AUTH_CEILING_MS), 10_000),
  generateMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 10_000),
  validateMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 10_000),
  lookupMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 2_000),
  balanceMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 5_000),
  pricingMs: optional(wholeNumber(1, TIMEOUT_CEILING_MS), 30_000),
}) satisfies GenericSchema<unknown, GatewayTimeouts>;

const CERTIFICATES = 'must hold certificates as PEM';

/** Every default and every bound of `GatewayClientOptions`. */
const optionsSchema = strictOptions({
  baseUrl: string('must be an http or https URL'),
  variant: picklist(['A', 'B'], "must be 'A' or 'B'"),
  username: filledText(),
  password: filledText(),
  numbersAs: optional(picklist(['string', 'number'], "must be 'string' or 'number'"), 'string'),
  maxPinDigits: optional(wholeNumber(4, 10), 10),
  tokenValiditySeconds: optional(wholeNumber(60, 86_400)),
  preserveToken: optional(boolean('must be a boolean')),
  timeouts: optional(timeoutsSchema, {}),
  connections: optional(wholeNumber(1, 1_000), 50),
  queueLimit: optional(wholeNumber(0, 20_000), 200),
  ca: optional(union([certificateAuthority(), array(certificateAuthority())], CERTIFICATES), []),
  proxyUrl: optional(string('must be an http or https URL')),
  tokenStore: optional(tokenStore()),
  acceptMissingPayload: optional(boolean('must be a boolean'), false),
  onEvent: optional(callback<GatewayEventListener>()),
  now: optional(callback<() => number>(), () => Date.now),
});

/** The options, checked and completed. */
export interface ClientSettings extends Omit<InferOutput<typeof optionsSchema>, 'baseUrl'> {
  readonly address: GatewayAddress;
  readonly preserveToken: boolean;
}

/**
 * Checks the options of a client.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readOptions(options: GatewayClientOptions): ClientSettings {
  const { baseUrl, ...rest } = parseOptions(MAKER, optionsSchema, options);
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
