import type { World } from '../state';
import type { Otp } from '../state/otp-store';
import { isSamePin } from '../state/pins';
import { type CallRequest, done, NO_PAYLOAD, type Outcome, readMobile, refuse } from './call';

/** POST validate/{id}. OTP spec §4. */
export function validate(world: World, { body, subject }: CallRequest): Outcome {
  const mobile = readMobile(body?.mobile, world.readings);
  if (mobile === null) return refuse(2103);
  const pin = body?.pin;
  if (typeof pin !== 'string' || !/^[0-9]+$/.test(pin)) return refuse(2107);
  const otp = world.otps.get(subject);
  if (otp === undefined && world.readings.unknownId === 'uri-not-found') return refuse(1007);
  const code = judge(world, otp, mobile, pin);
  if (code !== null) return refuse(world.variant === 'A' ? 2107 : code);
  if (otp !== undefined) otp.isConsumed = true;
  world.stats.countValidated();
  return done(showSuccess(world));
}

/** The code of B that refuses the pin, or null. A has 2107 for all of them. OTP spec §7. */
function judge(world: World, otp: Otp | undefined, mobile: string, pin: string): number | null {
  if (otp?.mobile !== mobile || isWornOut(world, otp)) return 2120;
  const pinCode = isSamePin(otp.secret, pin) ? null : 2120;
  if (pinCode !== null) otp.wrongPins += 1;
  const stateCode = judgeState(world, otp);
  return world.readings.judgedFirst === 'pin' ? (pinCode ?? stateCode) : (stateCode ?? pinCode);
}

function judgeState({ clock }: World, otp: Otp): number | null {
  if (otp.isConsumed) return 2109;
  return clock.nowMs() >= otp.sentAtMs + otp.validitySeconds * 1000 ? 2108 : null;
}

function isWornOut({ readings }: World, otp: Otp): boolean {
  return readings.maxWrongPins !== null && otp.wrongPins >= readings.maxWrongPins;
}

function showSuccess({ readings }: World): unknown {
  const payloads = { 'empty-string': '', null: null, 'empty-object': {}, missing: NO_PAYLOAD };
  return payloads[readings.validatePayload];
}
