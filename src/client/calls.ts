import { GatewayRejectedError } from '../errors';
import type { Permit, PinVerdict } from '../gateway';
import type { Balance, NetworkPrice, PriceList } from '../protocol/account';
import type { CountryPrice, Lookup } from '../protocol/hlr';
import type { Generated, GenerateInput, ValidateInput } from '../protocol/otp';
import type { CallOptions } from './call-options';
import type { CallRunner } from './run-call';

/**
 * The calls of the OTP service. Each may throw any `Gateway…Error`, and a `TypeError` for invalid
 * input before anything is sent. Unknown fields of an input are errors.
 */
export interface OtpCalls {
  /**
   * Creates a pin and sends it by text message. It costs money and is never repeated once bytes may
   * have left. It is repeated only after error 1009, which means that nothing was done.
   * @see OTP spec §4, POST generate
   */
  generate(input: GenerateInput, options?: CallOptions): Promise<Generated>;
  /**
   * Checks a pin and returns the result: `right` once, `wrong`, or `over` if it has expired or was
   * used. Variant A has one error code for all of these and returns `wrong`. If the answer is lost,
   * the pin may have been used up.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED if the gateway did not check the pin: it is
   * unavailable, or rejects the account or the number.
   * @see OTP spec §4, POST validate/{id}
   */
  check(input: ValidateInput, options?: CallOptions): Promise<PinVerdict>;
  /**
   * Checks a pin as `check` does. Resolves if the pin was right, otherwise throws.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED if the pin was wrong: 2107 or 2120; 2108 or
   * 2109 if it had expired or was used; any other code if the pin was not checked.
   * @see OTP spec §4, POST validate/{id}
   */
  validate(input: ValidateInput, options?: CallOptions): Promise<void>;
  /** Returns the account's balance. Tried twice. @see OTP spec §4, GET balance */
  balance(options?: CallOptions): Promise<Balance>;
  /** Returns the price of a message by network. Tried twice. @see OTP spec §4, GET pricing */
  pricing(options?: CallOptions): Promise<PriceList<NetworkPrice>>;
}

/**
 * The calls of a client as a login makes them: with the permit that `client.admit` returned.
 * `client.otp` accepts it too, but its public type does not show it.
 */
export interface AdmittedCalls {
  generate(input: GenerateInput, options: undefined, permit?: Permit): Promise<Generated>;
  check(input: ValidateInput, options: undefined, permit?: Permit): Promise<PinVerdict>;
}

export function createOtpCalls(runner: CallRunner): OtpCalls & AdmittedCalls {
  return {
    generate: (input, options, permit?: Permit) =>
      runner.run((wire) => wire.generate(input), options, permit),
    check: async (input, options, permit?: Permit) => {
      try {
        await runner.run((wire) => wire.validate(input), options, permit);
        return 'right';
      } catch (error) {
        const verdict = error instanceof GatewayRejectedError ? readPinRejection(error) : null;
        if (verdict === null) throw error;
        return verdict;
      }
    },
    validate: (input, options) => runner.run((wire) => wire.validate(input), options),
    balance: (options) => runner.run((wire) => wire.balance, options),
    pricing: (options) => runner.run((wire) => wire.pricing, options),
  };
}

/**
 * The pin is wrong, and the pending login continues. A cannot tell wrong from expired and used. OTP
 * spec §7.
 */
const WRONG_PIN: readonly unknown[] = [2107, 2120];
/**
 * The pin has expired or was used, so the pending login ends. Never a success. The user sees the
 * same message as for a wrong pin. OTP spec §7.
 */
const PIN_OVER: readonly unknown[] = [2108, 2109];

/**
 * Returns the result of a rejected validate call. Null: the gateway did not check the pin. Only the
 * code decides, in either variant and with any HTTP status.
 */
function readPinRejection(rejection: GatewayRejectedError): PinVerdict | null {
  if (WRONG_PIN.includes(rejection.gatewayCode)) return 'wrong';
  return PIN_OVER.includes(rejection.gatewayCode) ? 'over' : null;
}

/** The calls of the number lookup service. Each may throw any `Gateway…Error`. */
export interface HlrCalls {
  /**
   * Looks up a number. It costs money and is never repeated, except after error 1009.
   * @param mobile E.164, with or without one leading plus.
   * @throws {TypeError} if the number is invalid; nothing is sent.
   * @see HLR spec §4, GET {mobile}
   */
  lookup(mobile: string, options?: CallOptions): Promise<Lookup>;
  /** Returns the account's balance. Tried twice. @see HLR spec §4, GET balance */
  balance(options?: CallOptions): Promise<Balance>;
  /** Returns the price of a lookup by country. Tried twice. @see HLR spec §4, GET pricing */
  pricing(options?: CallOptions): Promise<PriceList<CountryPrice>>;
}

export function createHlrCalls(runner: CallRunner): HlrCalls {
  return {
    lookup: (mobile, options) => runner.run((wire) => wire.lookup(mobile), options),
    balance: (options) => runner.run((wire) => wire.hlrBalance, options),
    pricing: (options) => runner.run((wire) => wire.hlrPricing, options),
  };
}
