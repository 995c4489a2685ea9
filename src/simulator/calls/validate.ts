import type { SimulatorState } from '../state';
import type { Otp } from '../state/otp-store';
import { isSamePin } from '../state/pins';
import { type CallRequest, done, NO_PAYLOAD, type Outcome, refuse } from './call';
import { readMobile } from './fields';
import { hasFinerCodes } from './generate';

/** POST validate/{id}. OTP spec §4. */
export function validate(state: SimulatorState, { body, subject }: CallRequest): Outcome {
  const mobile = readMobile(body?.mobile, state.readings);
  if (mobile === null) return refuse(2103);
  const pin = body?.pin;
  if (typeof pin !== 'string' || !/^[0-9]+$/.test(pin)) return refuse(2107);
  const otp = state.otps.get(subject);
  if (otp === undefined && state.readings.unknownId === 'uri-not-found') return refuse(1007);
  const [code, ...further] = checkPin(state, otp, mobile, pin);
  if (code !== undefined) {
    if (!hasFinerCodes(state)) return refuse(2107);
    return refuse(code, state.readings.errorsListed === 'all' ? further : []);
  }
  if (otp !== undefined) otp.isConsumed = true;
  state.stats.count('validated');
  return done(findPayload(state));
}

/** Returns the codes of B that refuse the pin. A has 2107 for all of them. OTP spec §7. */
function checkPin(state: SimulatorState, otp: Otp | undefined, mobile: string, pin: string): number[] {
  if (otp?.mobile !== mobile || isExhausted(state, otp)) return [2120];
  const isRight = isSamePin(otp.secret, pin);
  if (!isRight) otp.wrongPins += 1;
  const codes = [isRight ? null : 2120, checkState(state, otp)].filter((code) => code !== null);
  return state.readings.judgedFirst === 'pin' ? codes : codes.reverse();
}

function checkState({ clock }: SimulatorState, otp: Otp): number | null {
  if (otp.isConsumed) return 2109;
  return clock.nowMs() >= otp.sentAtMs + otp.validitySeconds * 1000 ? 2108 : null;
}

function isExhausted({ readings }: SimulatorState, otp: Otp): boolean {
  return readings.maxWrongPins !== null && otp.wrongPins >= readings.maxWrongPins;
}

function findPayload({ readings }: SimulatorState): unknown {
  const payloads = { 'empty-string': '', null: null, 'empty-object': {}, missing: NO_PAYLOAD };
  return payloads[readings.validatePayload];
}
