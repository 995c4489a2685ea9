import type { Permit } from '../gateway';
import type { Balance, NetworkPrice, PriceList } from '../protocol/account';
import type { CountryPrice, Lookup } from '../protocol/hlr';
import type { Generated, GenerateInput, ValidateInput } from '../protocol/otp';
import type { CallRunner } from './run-call';

/**
 * The calls of the OTP service. Each may throw any `Gateway…Error`, and a `TypeError` for invalid
 * input before anything is sent.
 */
export interface OtpCalls {
  /**
   * Makes a pin and sends it by text message. It costs money and is never repeated once bytes may
   * have left; only after error 1009, which means that nothing was done.
   * @param permit Internal: from `client.admit('generate')`. Without one, the call waits for its
   * own.
   * @see OTP spec §4, POST generate
   */
  generate(input: GenerateInput, permit?: Permit): Promise<Generated>;
  /**
   * Verifies a pin. Resolves when the pin was right; when the answer is lost, the pin may have been
   * judged.
   * @param permit Internal: from `client.admit('validate')`. Without one, the call waits for its
   * own.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED when the pin was wrong: 2107 or 2120; 2108
   * and 2109 when it was expired or consumed.
   * @see OTP spec §4, POST validate/{id}
   */
  validate(input: ValidateInput, permit?: Permit): Promise<void>;
  /** Returns the account's balance. @see OTP spec §4, GET balance */
  balance(): Promise<Balance>;
  /** Returns the price of a message by network. @see OTP spec §4, GET pricing */
  pricing(): Promise<PriceList<NetworkPrice>>;
}

export function createOtpCalls(runner: CallRunner): OtpCalls {
  return {
    generate: (input, permit) => runner.run((wire) => wire.generate(input), permit),
    validate: (input, permit) => runner.run((wire) => wire.validate(input), permit),
    balance: () => runner.run((wire) => wire.balance),
    pricing: () => runner.run((wire) => wire.pricing),
  };
}

/** The calls of the number lookup service. Each may throw any `Gateway…Error`. */
export interface HlrCalls {
  /**
   * Looks up a number. It costs money and is never repeated, except after error 1009.
   * @param mobile E.164, with or without one leading plus.
   * @throws {TypeError} when the number is invalid; nothing is sent.
   * @see HLR spec §4, GET {mobile}
   */
  lookup(mobile: string): Promise<Lookup>;
  /** Returns the account's balance. @see HLR spec §4, GET balance */
  balance(): Promise<Balance>;
  /** Returns the price of a lookup by country. @see HLR spec §4, GET pricing */
  pricing(): Promise<PriceList<CountryPrice>>;
}

export function createHlrCalls(runner: CallRunner): HlrCalls {
  return {
    lookup: (mobile) => runner.run((wire) => wire.lookup(mobile)),
    balance: () => runner.run((wire) => wire.hlrBalance),
    pricing: () => runner.run((wire) => wire.hlrPricing),
  };
}
