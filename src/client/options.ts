import type { Dispatcher } from 'undici';
import { z } from 'zod';
import {
  callback,
  nonEmptyString,
  objectWith,
  oneOf,
  parseOptions,
  strictOptions,
  switchOption,
  syncCallback,
  wholeNumber,
} from '../define-options';
import { optionError } from '../errors';
import type { GatewayEventListener } from '../gateway';
import type { NumberForm, NumberForms } from '../protocol/otp';
import type { Variant } from '../protocol/paths';
import type { TokenStore } from '../stores/store';

export interface GatewayAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Host and port. */
  readonly host: string;
  /** Precedes every documented path. Has no slash at its end. */
  readonly pathPrefix: string;
  readonly isSecure: boolean;
}

/**
 * Parses a base URL, or returns what is wrong with it. The message follows the option's name and
 * shows no value.
 */
function readBaseUrl(baseUrl: string): GatewayAddress | { readonly problem: string } {
  const url = parseUrl(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: 'must be an http or https URL' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'must not contain credentials' };
  if (/[?#]/.test(baseUrl)) return { problem: 'must not contain a query or a fragment' };
  if (DOCUMENTED.test(url.pathname))
    return { problem: 'must end before /apis, with which every documented path begins' };

  const isSecure = url.protocol === 'https:';
  if (!isSecure && !isLoopback(url.hostname)) {
    return {
      problem:
        'must be https: http is allowed for this machine only (localhost, 127.0.0.1 or [::1])',
    };
  }

  return {
    origin: url.origin,
    host: url.host,
    pathPrefix: url.pathname.replace(/\/+$/, ''),
    isSecure,
  };
}

/** Matches the part of a path that the documents give, because people copy it from there. */
const DOCUMENTED = /\/apis(?:\/(?:auth|otp|sms|hlr)(?:\/.*)?)?\/?$/i;

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/**
 * Returns whether a host is this machine. Expects the host as the URL parser writes it: 127.1 and
 * 0x7f000001 are 127.0.0.1 there.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * How "numeric" request fields are sent: one form for all, or one for each. A field that is left
 * out is a string.
 */
export type NumbersAs =
  | NumberForm
  | { readonly [Field in keyof NumberForms]?: NumberForm | undefined };

/**
 * The options of a `GatewayClient`. Unknown fields are errors. So is an undefined `baseUrl`,
 * `variant`, `username` or `password`, as from an environment variable that is not set.
 */
export interface GatewayClientOptions {
  /**
   * The account's address, for example `https://gateway.example`. A path prefix is kept. Leave out
   * `/apis` and what follows it, credentials, query and fragment. Plain http is allowed for
   * loopback only (127.0.0.0/8, ::1, localhost).
   */
  readonly baseUrl: string | undefined;
  /** The variant of the OTP interface that the account uses. OTP spec §1. */
  readonly variant: Variant | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /**
   * How "numeric" request fields are sent: as a string of digits or a JSON number. `{ mobile,
   * validity }` chooses for each. Default: `string`.
   */
  readonly numbersAs?: NumbersAs | undefined;
  /**
   * Digits of the longest code, 4 to 10. The length of messages is computed with it. Default: 10.
   */
  readonly maxCodeDigits?: number | undefined;
  /**
   * Whether a message within 160 characters may need a second segment, which costs a second
   * message. Extension characters such as the euro sign count once in the documents and twice in
   * the network, and so may the pin's digits. Default: false.
   */
  readonly allowSecondSegment?: boolean | undefined;
  /**
   * Seconds of token validity to request, also at each renewal: 60 to 86,400. Variant A only.
   * Default: the gateway's (1,800).
   */
  readonly tokenValiditySeconds?: number | undefined;
  /**
   * Whether authenticating keeps the account's unexpired token, for several nodes. Variant A only.
   * Default: true.
   */
  readonly preserveToken?: boolean | undefined;
  /**
   * Milliseconds for a whole call: queue, authentication, connecting, headers and body; 1 to
   * 60,000. Default: 10,000 to send or check a code, 2,000 to look up a number, 5,000 for a
   * balance, 30,000 for a price list.
   */
  readonly timeoutMs?: number | undefined;
  /** Connections at the same time, 1 to 1,000. Default: 50. */
  readonly connections?: number | undefined;
  /**
   * Calls that may wait for a connection, 0 to 20,000. The rest is refused at once. Default: 200.
   */
  readonly queueLimit?: number | undefined;
  /**
   * A dispatcher of undici 7 that makes the connections: a `ProxyAgent`, an `Agent` with a private
   * certificate authority or a client certificate, a `MockAgent`. It must not repeat or redirect
   * requests. It stays open when the client closes. Default: the client's own connections.
   */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * Whether errors keep the gateway's own answer as `error.detail`. Only for a client that is used
   * alone: `createSmsOtp` refuses it. Default: false.
   */
  readonly keepsDetail?: boolean | undefined;
  /** Shares the gateway's token between processes. Default: each client has its own. */
  readonly tokenStore?: TokenStore | undefined;
  /**
   * Whether a validate answer without `payload` is a success. Not shown in OTP spec §1. Default:
   * false.
   */
  readonly acceptMissingPayload?: boolean | undefined;
  readonly onEvent?: GatewayEventListener | undefined;
  /**
   * Returns the current time in milliseconds since 1970. Deadlines do not use it. Default:
   * `Date.now`.
   */
  readonly now?: (() => number) | undefined;
}

const MAKER = 'GatewayClient';

const tokenStore = z.custom<TokenStore>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['read', 'renew'].every((name) => typeof Reflect.get(value, name) === 'function'),
  'must have the methods read and renew',
);

const numberForm = oneOf('string', 'number');

const numbersAs = z.union(
  [
    numberForm,
    strictOptions({ mobile: numberForm.default('string'), validity: numberForm.default('string') }),
  ],
  "must be 'string', 'number' or an object with mobile and validity, each 'string' or 'number'",
);

export function timeoutOption() {
  return wholeNumber(1, 60_000);
}

const optionsSchema = strictOptions({
  baseUrl: z.string('must be an http or https URL'),
  variant: oneOf('A', 'B'),
  username: nonEmptyString(),
  password: nonEmptyString(),
  numbersAs: numbersAs
    .default('string')
    .transform((form) => (typeof form === 'string' ? { mobile: form, validity: form } : form)),
  maxCodeDigits: wholeNumber(4, 10).default(10),
  allowSecondSegment: switchOption().default(false),
  tokenValiditySeconds: wholeNumber(60, 86_400).optional(),
  preserveToken: switchOption().optional(),
  timeoutMs: timeoutOption().optional(),
  connections: wholeNumber(1, 1_000).default(50),
  queueLimit: wholeNumber(0, 20_000).default(200),
  dispatcher: objectWith<Dispatcher>(
    'a dispatcher of undici, such as new ProxyAgent(url)',
    'dispatch',
  ).optional(),
  keepsDetail: switchOption().default(false),
  tokenStore: tokenStore.optional(),
  acceptMissingPayload: switchOption().default(false),
  onEvent: callback<GatewayEventListener>().optional(),
  now: syncCallback<() => number>().default(() => Date.now),
});

/** The checked options with all defaults. */
export interface ClientSettings extends Omit<z.output<typeof optionsSchema>, 'baseUrl'> {
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
  if ('problem' in address) throw optionError(MAKER, 'baseUrl', address.problem);

  const { variant, preserveToken } = rest;
  // OTP spec §4, POST auth: `validity` and `preserve` exist in A only.
  for (const name of ['tokenValiditySeconds', 'preserveToken'] as const) {
    if (variant === 'B' && rest[name] !== undefined)
      throw optionError(MAKER, name, 'exists in variant A only');
  }

  return { ...rest, address, preserveToken: variant === 'A' && preserveToken !== false };
}
