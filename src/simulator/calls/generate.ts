import { messagePrice, UNLISTED_PRICE } from '../state/networks';
import type { Otp } from '../state/otp-book';
import { readPin } from '../state/pins';
import type { World } from '../world';
import { done, refuse, type CallRequest, type Outcome } from './call';
import { fillPin, readGenerateRequest, type GenerateRequest } from './generate-request';
import { showCost, showMobile, showOtpId } from './shown';

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
