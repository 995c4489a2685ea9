import { GatewayClient } from './client/gateway-client';
import { KEEPS_DETAIL, otpGateway } from './client/otp-gateway';
import type { GatewayClientOptions } from './client/options';
import { optionError, readFields } from './errors';
import type { GatewayEventListener, LoginGateway, OtpGateway } from './gateway';
import type { PolicyGateway } from './limits/policy';
import { guardGateway } from './core/guarded-gateway';
import type { TokenStore } from './stores/store';

/** What `createSmsOtp` makes of its option `gateway`. */
export interface OpenGateway {
  readonly gateway: LoginGateway;
  readonly policyGateway: PolicyGateway;
  /** Whether it is the built-in client. */
  readonly isClient: boolean;
  /** Whether it sends the message that the library writes. */
  readonly writesMessages: boolean;
  readonly messageRules: MessageRules;
  readonly subscribe: (listener: GatewayEventListener) => () => void;
  /** Closes what was created here. */
  readonly close: () => Promise<void>;
}

/** The facts that limit the length of a message. */
export interface MessageRules {
  /** Digits of the longest code. */
  readonly maxCodeDigits: number;
  readonly allowSecondSegment: boolean | undefined;
}

/** The options that the client takes over from the login unless it has its own. */
export type SharedOptions = Pick<GatewayClientOptions, 'now'> & {
  readonly tokenStore: TokenStore;
};

/** The option `gateway` of `createSmsOtp`. */
export type GatewayOption = GatewayClient | GatewayClientOptions | OtpGateway;

const MAKER = 'createSmsOtp';

/**
 * Opens the gateway of a login. An object with the functions `generate` and `validate` is a
 * gateway. Anything else is a `GatewayClient` or the options for one.
 * @throws {TypeError} that names the option.
 */
export function openGateway(option: GatewayOption, shared: SharedOptions): OpenGateway {
  if (isOtpGateway(option)) return openOwn(option);
  if (option instanceof GatewayClient) return openClient(option);

  try {
    const client = new GatewayClient({ ...shared, ...option });
    return { ...openClient(client), close: () => client.close() };
  } catch (cause) {
    // Name the client's options by their path in `createSmsOtp`: `gateway.baseUrl`.
    const message = (cause as TypeError).message
      .replace(/^GatewayClient: (?=\d)/, `${MAKER}: gateway: `)
      .replace(/^GatewayClient: (unknown option )?/, `${MAKER}: $1gateway.`);
    throw new TypeError(message, { cause });
  }
}

/**
 * Returns the facts that limit the length of a message, without opening anything.
 * @throws {TypeError} that names the option.
 */
export function readMessageRules(option: GatewayOption): MessageRules {
  if (option instanceof GatewayClient) return option.messageRules;
  const allowSecondSegment = isOtpGateway(option) ? undefined : option.allowSecondSegment;
  return { maxCodeDigits: readCodeDigits(option), allowSecondSegment };
}

/** Digits of the longest code that any gateway makes. */
const MOST_DIGITS = 10;

function readCodeDigits(option: GatewayClientOptions | OtpGateway): number {
  const { maxCodeDigits = MOST_DIGITS } = option;
  if (Number.isInteger(maxCodeDigits) && maxCodeDigits >= 4 && maxCodeDigits <= MOST_DIGITS)
    return maxCodeDigits;
  throw optionError(MAKER, 'gateway.maxCodeDigits', 'must be a whole number from 4 to 10');
}

function isOtpGateway(option: GatewayOption): option is OtpGateway {
  const { generate, validate } = readFields(option);
  const functions = [generate, validate].filter((call) => typeof call === 'function');
  if (functions.length === 1)
    throw optionError(MAKER, 'gateway', 'must have both functions, generate and validate');
  return functions.length === 2;
}

function openClient(client: GatewayClient): OpenGateway {
  if (client.keepsDetail) throw optionError(MAKER, 'gateway', KEEPS_DETAIL);

  return {
    gateway: otpGateway(client),
    policyGateway: client,
    isClient: true,
    writesMessages: true,
    messageRules: client.messageRules,
    subscribe: (listener) => client.subscribe(listener),
    close: stayOpen,
  };
}

const CALLS = ['admit', 'warmUp', 'subscribe', 'close'] as const;

function openOwn(gateway: OtpGateway): OpenGateway {
  const fields = readFields(gateway);
  const wrong = CALLS.find((name) => !['undefined', 'function'].includes(typeof fields[name]));
  if (wrong !== undefined) throw optionError(MAKER, `gateway.${wrong}`, 'must be a function');

  const { writesMessages = true } = gateway;
  if (typeof writesMessages !== 'boolean')
    throw optionError(MAKER, 'gateway.writesMessages', 'must be a boolean');

  return {
    gateway: guardGateway(gateway),
    policyGateway: NO_CLIENT,
    isClient: false,
    writesMessages,
    messageRules: readMessageRules(gateway),
    subscribe(listener) {
      return gateway.subscribe?.(listener) ?? doNothing;
    },
    close: stayOpen,
  };
}

/** Given to policies that have not said at start that they need a client. */
const NO_CLIENT = Object.defineProperties(
  {},
  Object.fromEntries(
    ['variant', 'otp', 'hlr'].map((name) => [name, { get: refuseService, enumerable: true }]),
  ),
  // The object has these properties as getters, and each getter throws.
) as PolicyGateway;

function refuseService(): never {
  throw new TypeError(
    'prices, balances and number lookups need a GatewayClient: a policy that uses them has ' +
      'needsClient: true',
  );
}

function doNothing(): void {
  // There is no listener to remove.
}

/** Does nothing: a gateway that the app has passed in stays open. */
function stayOpen(): Promise<void> {
  return Promise.resolve();
}
