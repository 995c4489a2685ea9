import { measureMessage, PLACEHOLDER } from '../../protocol/message-length';
import {
  DEFAULT_MESSAGE,
  DEFAULT_SENDER,
  DEFAULT_VALIDITY_SECONDS,
  isSender,
  REFERENCE_CODE_MAX,
  VALIDITY_RANGE_SECONDS,
} from '../../protocol/otp';
import type { World } from '../state';
import { messagePrice, UNLISTED_PRICE } from '../state/networks';
import type { Otp } from '../state/otp-store';
import { readPin } from '../state/pins';
import {
  type CallRequest,
  done,
  type Outcome,
  readMobile,
  readSeconds,
  refuse,
  showCost,
  showMobile,
  showOtpId,
} from './call';

/** A generate request that keeps the rules. OTP spec §4. */
export interface GenerateRequest {
  /** Digits without plus. */
  readonly mobile: string;
  readonly sender: string;
  readonly validitySeconds: number;
  readonly message: string;
  readonly referenceCode: string | null;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Reads a generate request, or gives the code that refuses it. Not shown in OTP spec §4: the order of the
 * checks.
 */
function readGenerateRequest(world: World, body: Body, pinDigits: number): GenerateRequest | number {
  const mobile = readMobile(body.mobile, world.readings);
  if (mobile === null) return 2103;
  const sender = body.sender ?? DEFAULT_SENDER;
  if (typeof sender !== 'string' || !isSender(sender)) return 2104;
  const message = body.message ?? DEFAULT_MESSAGE;
  if (typeof message !== 'string' || !message.includes(PLACEHOLDER)) return 2105;
  if (!fits(world, message, pinDigits)) return world.variant === 'A' ? 2105 : 2106;
  const validitySeconds = readValidity(world, body.validity);
  if (validitySeconds === null) return 2110;
  const referenceCode = readReferenceCode(world, body.reference_code);
  if (referenceCode === undefined) return 2105;
  return { mobile, sender, validitySeconds, message, referenceCode };
}

/** Puts the pin in the text. */
function fillPin(message: string, pin: string, { readings }: World): string {
  return readings.placeholdersFilled === 'all'
    ? message.replaceAll(PLACEHOLDER, pin)
    : message.replace(PLACEHOLDER, pin);
}

function fits(world: World, message: string, pinDigits: number): boolean {
  const { measured } = world.readings;
  const text = fillPin(message, '0'.repeat(pinDigits), world);
  const candidates = { both: [message, text], template: [message], text: [text] }[measured];
  return candidates.map(measureMessage).every(({ units, limit }) => units <= limit);
}

/**
 * Not shown in OTP spec §8: the range of B. There any whole number above zero will do, and 2110 is used for
 * the rest.
 */
function readValidity({ variant, readings }: World, value: unknown): number | null {
  if (value === undefined) return DEFAULT_VALIDITY_SECONDS;
  const seconds = readSeconds(value, readings);
  const { min, max } = variant === 'A' ? VALIDITY_RANGE_SECONDS : { min: 1, max: Infinity };
  return seconds !== null && seconds >= min && seconds <= max ? seconds : null;
}

/**
 * Not shown in OTP spec §7: the code for a bad reference code; undefined means bad. B has none and leaves it
 * aside.
 */
function readReferenceCode({ variant }: World, value: unknown): string | null | undefined {
  if (variant === 'B' || value === undefined) return null;
  return typeof value === 'string' && value.length <= REFERENCE_CODE_MAX ? value : undefined;
}

/** POST generate. OTP spec §4. */
export function generate(world: World, { body }: CallRequest): Outcome {
  const request = readGenerateRequest(world, body ?? {}, world.pins.digits);
  if (typeof request === 'number') return refuse(request);
  const refusal = findRefusal(world, request.mobile);
  if (refusal !== null) return refuse(refusal);
  const price = priceOf(world, request.mobile);
  const { emptyBalanceCode } = world.readings;
  if (emptyBalanceCode !== null && !world.ledger.covers(price)) return refuse(emptyBalanceCode);
  const otp = send(world, request, price);
  return done(world.variant === 'A' ? showA(world, otp, request) : showB(world, otp, price), 201);
}

/**
 * Not shown in OTP spec §7: what A, which does not list 2100 to 2102, answers in these cases: 2121 and 2103.
 */
function findRefusal({ account, variant }: World, mobile: string): number | null {
  const startsMobile = (prefix: string): boolean => mobile.startsWith(prefix);
  if (!account.maySendOtp) return variant === 'A' ? 2121 : 2100;
  if (account.unknownDestinations.some(startsMobile)) return variant === 'A' ? 2103 : 2101;
  if (account.forbiddenDestinations.some(startsMobile)) return variant === 'A' ? 2103 : 2102;
  return null;
}

function priceOf({ subscribers }: World, mobile: string): string {
  const subscriber = subscribers.get(mobile);
  return subscriber === undefined ? UNLISTED_PRICE : messagePrice(subscriber.mcc, subscriber.mnc);
}

function send(
  world: World,
  { mobile, sender, validitySeconds, message }: GenerateRequest,
  price: string,
): Otp {
  const life = { sentAtMs: world.clock.nowMs(), validitySeconds };
  const secret = world.pins.make(mobile, life);
  const otp = world.otps.add(mobile, life, secret);
  const pin = readPin(secret);
  const text = fillPin(message, pin, world);
  world.ledger.charge(price);
  world.stats.countSent();
  world.outbox.add({
    id: otp.id,
    mobile: `+${mobile}`,
    sender,
    text,
    pin,
    sentAt: life.sentAtMs,
    cost: price,
  });
  return otp;
}

/** OTP spec §2, OTP object of variant A. */
function showA({ readings }: World, otp: Otp, request: GenerateRequest): unknown {
  const { messageMember, missingReferenceCode } = readings;
  const unset = { absent: {}, empty: { reference_code: '' }, null: { reference_code: null } };
  return {
    id: otp.id,
    mobile: showMobile(otp.mobile, readings),
    sender: request.sender,
    validity: request.validitySeconds,
    ...(messageMember !== 'imessaged' && { message: request.message }),
    ...(messageMember !== 'message' && { imessaged: request.message }),
    ...(request.referenceCode === null
      ? unset[missingReferenceCode]
      : { reference_code: request.referenceCode }),
  };
}

/** OTP spec §2, OTP object of variant B. */
function showB({ readings }: World, otp: Otp, price: string): unknown {
  const endMs = otp.sentAtMs + otp.validitySeconds * 1000;
  const validUntil = {
    'epoch-seconds': Math.floor(endMs / 1000),
    'epoch-ms': endMs,
    'duration-seconds': otp.validitySeconds,
  }[readings.validUntilAs];
  return {
    id: showOtpId(otp.id, readings),
    mobile: showMobile(otp.mobile, readings),
    cost: showCost(price, readings),
    valid_until: validUntil,
  };
}
