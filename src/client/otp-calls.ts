import {
  type Balance,
  type NetworkPrice,
  type PriceList,
  readBalance,
  readPricing,
} from '../protocol/account';
import {
  type Generated,
  type GenerateInput,
  isValidated,
  readGenerated,
  readOtpId,
  requireDigits,
  toGenerateBody,
  toValidateBody,
} from '../protocol/otp';
import { BALANCE_PATH, GENERATE_PATH, PRICING_PATH, validatePath, type Variant } from '../protocol/paths';
import type { Admission } from './call-limiter';
import { type GatewayCall, MAX_ANSWER_BYTES, MAX_PRICE_LIST_BYTES } from './exchange';
import type { ClientSettings } from './options';
import type { CallRunner } from './run-call';

/** What `validate` takes. */
export interface ValidateInput {
  /** The id that `generate` gave. */
  readonly id: string;
  /** The number that received the pin: E.164, with or without one leading plus. */
  readonly mobile: string;
  /** 4 to 10 digits, as the subscriber typed them. */
  readonly pin: string;
}

/** The calls of the OTP service. Each may throw any `Gateway…Error`, and a `TypeError` for wrong input before anything is sent. */
export interface OtpCalls {
  /**
   * Makes a pin and sends it by text message. It costs money and is never repeated once bytes may have left; only after
   * error 1009, which says that nothing was done.
   * @param admission From `client.admit('generate')`; left out, the call admits itself.
   * @see OTP spec §4, POST generate
   */
  generate(input: GenerateInput, admission?: Admission): Promise<Generated>;
  /**
   * Checks a pin. It resolves when the pin was right; when the answer is lost, nobody knows whether it was judged.
   * @param admission From `client.admit('validate')`; left out, the call admits itself.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED when the pin was not: 2107, in B also 2108, 2109, 2120.
   * @see OTP spec §4, POST validate/{id}
   */
  validate(input: ValidateInput, admission?: Admission): Promise<void>;
  /** The account's money. @see OTP spec §4, GET balance */
  balance(): Promise<Balance>;
  /** Price of a message by network. @see OTP spec §4, GET pricing */
  pricing(): Promise<PriceList<NetworkPrice>>;
}

type OtpSettings = Pick<ClientSettings, 'variant' | 'numbersAs' | 'maxPinDigits' | 'acceptMissingPayload'>;

export function createOtpCalls(settings: OtpSettings, runner: CallRunner): OtpCalls {
  const balance = toBalanceCall(settings.variant);
  const pricing = toPricingCall(settings.variant);
  return {
    async generate(input, admission) {
      return runner.run(toGenerateCall(settings, input), admission);
    },
    async validate(input, admission) {
      await runner.run(toValidateCall(settings, input), admission);
    },
    balance: () => runner.run(balance),
    pricing: () => runner.run(pricing),
  };
}

function toGenerateCall(
  { variant, numbersAs, maxPinDigits }: OtpSettings,
  input: GenerateInput,
): GatewayCall<Generated> {
  const digits = requireDigits(input.mobile);
  return {
    name: 'generate',
    method: 'POST',
    path: GENERATE_PATH,
    body: JSON.stringify(toGenerateBody(variant, input, numbersAs, maxPinDigits)),
    maxBytes: MAX_ANSWER_BYTES,
    read: (payload) => readGenerated(variant, payload, digits),
  };
}

function toValidateCall(
  { variant, numbersAs, acceptMissingPayload }: OtpSettings,
  { id, mobile, pin }: ValidateInput,
): GatewayCall<true> {
  const checkedId = readOtpId(variant, id);
  if (checkedId === null) throw new TypeError('id must be one that generate gave');
  return {
    name: 'validate',
    method: 'POST',
    path: validatePath(checkedId),
    body: JSON.stringify(toValidateBody(mobile, pin, numbersAs)),
    maxBytes: MAX_ANSWER_BYTES,
    read: (payload, hasPayload) => (isValidated(payload, hasPayload, acceptMissingPayload) ? true : null),
  };
}

/** OTP spec §4, GET balance: it costs nothing, so it serves as the probe too. */
export function toBalanceCall(variant: Variant): GatewayCall<Balance> {
  return {
    name: 'balance',
    method: 'GET',
    path: BALANCE_PATH[variant],
    body: null,
    maxBytes: MAX_ANSWER_BYTES,
    read: readBalance,
  };
}

function toPricingCall(variant: Variant): GatewayCall<PriceList<NetworkPrice>> {
  return {
    name: 'pricing',
    method: 'GET',
    path: PRICING_PATH[variant],
    body: null,
    maxBytes: MAX_PRICE_LIST_BYTES,
    read: readPricing,
  };
}
