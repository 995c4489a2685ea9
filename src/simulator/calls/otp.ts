import {
  isSender,
  measureMessage,
  MESSAGE_LIMIT,
  PLACEHOLDER,
} from '../../protocol/message-length';
import {
  DEFAULT_MESSAGE,
  DEFAULT_SENDER,
  DEFAULT_VALIDITY_SECONDS,
  REFERENCE_CODE_MAX,
  VALIDITY_RANGE_SECONDS,
} from '../../protocol/otp';
import type { Readings } from '../readings';
import type { SimulatorState } from '../state';
import { messagePrice, UNLISTED_PRICE } from '../state/subscribers';
import { isSamePin, type Otp, readPin } from '../state/otps';
import {
  type Body,
  type CallRequest,
  done,
  formatCost,
  formatMobile,
  formatOtpId,
  NO_PAYLOAD,
  type Outcome,
  readMobile,
  readSeconds,
  refuse,
} from './call';

/** A generate request that satisfies the rules. Its number has digits without plus. OTP spec §4. */
type GenerateRequest = Exclude<ReturnType<typeof readGenerateRequest>, number[]>;

/** POST generate. OTP spec §4. */
export function generate(state: SimulatorState, call: CallRequest): Outcome {
  const { emptyBalanceCode, errorsListed, generateStatus } = state.readings;

  const request = readGenerateRequest(state, call.body ?? {});
  if (Array.isArray(request)) {
    const [first = 2105, ...further] = request;
    return refuse(first, errorsListed === 'all' ? further : []);
  }
  const refusal = findRefusal(state, request.mobile);
  if (refusal !== null) return refuse(refusal);
  const price = priceOf(state, request.mobile);
  if (emptyBalanceCode !== null && !state.ledger.covers(price)) return refuse(emptyBalanceCode);

  const otp = send(state, request, price);
  const payload = state.variant === 'A' ? formatA(state, otp, request) : formatB(state, otp, price);
  return done(payload, generateStatus);
}

/**
 * Reads a generate request, or returns the codes of the rules it breaks. Not shown in OTP spec §4:
 * the order of the checks. It is the order of the fields in the document.
 */
function readGenerateRequest(state: SimulatorState, body: Body) {
  const mobile = readMobile(body.mobile, state.readings);
  const { sender = DEFAULT_SENDER, message = DEFAULT_MESSAGE } = body;
  const validitySeconds = readValidity(state, body.validity);
  const isSenderValid = isSender(sender);

  const codes = [
    mobile === null ? 2103 : null,
    isSenderValid ? null : 2104,
    validitySeconds === null ? 2110 : null,
    findMessageProblem(state, message),
    findReferenceCodeProblem(state, body.reference_code),
  ].filter((code) => code !== null);
  if (mobile === null || !isSenderValid || validitySeconds === null || typeof message !== 'string')
    return codes;

  const { reference_code: reference } = body;
  const hasReference = state.variant === 'A' && typeof reference === 'string';
  const referenceCode = hasReference
    ? Array.from(reference).slice(0, REFERENCE_CODE_MAX).join('')
    : null;
  return codes.length > 0 ? codes : { mobile, sender, validitySeconds, message, referenceCode };
}

/**
 * Not shown in OTP spec §8: the range of B, which has no code of its own for it. 2110 is used there
 * too.
 */
function readValidity(state: SimulatorState, value: unknown): number | null {
  if (value === undefined) return DEFAULT_VALIDITY_SECONDS;

  const seconds = readSeconds(value, state.readings);
  const { min, max } =
    state.variant === 'A'
      ? VALIDITY_RANGE_SECONDS
      : (state.readings.validityRangeB ?? { min: 1, max: Infinity });
  return seconds !== null && seconds >= min && seconds <= max ? seconds : null;
}

/** Returns the code that rejects a message, or null. Only the list of B has 2106. OTP spec §7. */
function findMessageProblem(state: SimulatorState, message: unknown): number | null {
  if (typeof message !== 'string' || !message.includes(PLACEHOLDER)) return 2105;
  if (fits(state, message)) return null;
  return hasFinerCodes(state) ? 2106 : 2105;
}

function fits(state: SimulatorState, message: string): boolean {
  const { readings } = state;
  const { measured, measuredIn } = readings;
  const template = readings.bracketsCount
    ? message
    : message.replaceAll(PLACEHOLDER, PLACEHOLDER.slice(1, -1));
  const text = fillPin(message, '0'.repeat(state.account.pinDigits), readings);

  const isTemplateGood =
    measured === 'text' || fitsOneMessage(template, measuredIn !== 'units', readings);
  const isTextGood =
    measured === 'template' || fitsOneMessage(text, measuredIn === 'characters', readings);
  return isTemplateGood && isTextGood;
}

/**
 * Returns whether a message fits. OTP spec §8: 160 characters if all are in the GSM 7-bit table,
 * otherwise 70.
 */
function fitsOneMessage(text: string, countsCharacters: boolean, readings: Readings): boolean {
  const size = measureMessage(text);
  const characters = countCharacters(text);
  // In GSM 7-bit only extension characters take more than one septet.
  const hasExtension = size.encoding === 'gsm-7' && size.units > characters;
  const needsUcs2 = hasExtension && readings.extensionCharacters === 'ucs-2';

  const units = needsUcs2 ? text.length : size.units;
  const limit = needsUcs2 ? MESSAGE_LIMIT['ucs-2'] : size.limit;
  return (countsCharacters ? characters : units) <= limit;
}

function fillPin(message: string, pin: string, readings: Readings): string {
  return readings.placeholdersFilled === 'all'
    ? message.replaceAll(PLACEHOLDER, pin)
    : message.replace(PLACEHOLDER, pin);
}

/**
 * Not shown in OTP spec §7: the code for an invalid `reference_code`. B has no such field and
 * ignores it.
 */
function findReferenceCodeProblem(state: SimulatorState, value: unknown): number | null {
  if (state.variant === 'B' || value === undefined) return null;

  const { longReferenceCode } = state.readings;
  if (typeof value !== 'string') return longReferenceCode === 422 ? 422 : 2105;
  return longReferenceCode === 'cut' || countCharacters(value) <= REFERENCE_CODE_MAX
    ? null
    : longReferenceCode;
}

/**
 * Counts characters as the document does: an emoji is one, not two UTF-16 units. OTP spec §4, §8.
 */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Not shown in OTP spec §7: what A, which does not list 2100 to 2102, answers in these cases. */
function findRefusal(state: SimulatorState, mobile: string): number | null {
  const { account, variant, readings } = state;
  const startsMobile = (prefix: string): boolean => mobile.startsWith(prefix);

  if (!account.maySendOtp) return variant === 'A' ? readings.noPermissionCodeA : 2100;
  if (account.unknownDestinations.some(startsMobile)) return hasFinerCodes(state) ? 2101 : 2103;
  if (account.forbiddenDestinations.some(startsMobile)) return hasFinerCodes(state) ? 2102 : 2103;
  return null;
}

/** Returns whether the codes that only the list of B has are in use. OTP spec §7. */
function hasFinerCodes(state: SimulatorState): boolean {
  return state.variant === 'B' || state.readings.codesOfA === 'finer';
}

function priceOf(state: SimulatorState, mobile: string): string {
  const subscriber = state.subscribers.get(mobile);
  return subscriber === undefined ? UNLISTED_PRICE : messagePrice(subscriber.mcc, subscriber.mnc);
}

function send(state: SimulatorState, request: GenerateRequest, price: string): Otp {
  const sentAtMs = state.clock.nowMs();
  const { validitySeconds } = request;
  const otp = state.otps.add(request.mobile, { sentAtMs, validitySeconds });
  const pin = readPin(otp.secret);

  state.ledger.charge(price);
  state.stats.count('sent');
  state.outbox.add({
    id: otp.id,
    mobile: `+${request.mobile}`,
    sender: request.sender,
    text: fillPin(request.message, pin, state.readings),
    pin,
    sentAt: sentAtMs,
    cost: price,
  });
  return otp;
}

/** OTP spec §2, OTP object of variant A. */
function formatA(state: SimulatorState, otp: Otp, request: GenerateRequest): unknown {
  const { messageMember, missingReferenceCode } = state.readings;
  const unset = { absent: {}, empty: { reference_code: '' }, null: { reference_code: null } };

  return {
    id: otp.id,
    mobile: formatMobile(otp.mobile, state.readings),
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
function formatB(state: SimulatorState, otp: Otp, price: string): unknown {
  const { readings } = state;
  const endMs = otp.sentAtMs + otp.validitySeconds * 1000;
  const validUntil = {
    'epoch-seconds': Math.floor(endMs / 1000),
    'epoch-ms': endMs,
    'duration-seconds': otp.validitySeconds,
  }[readings.validUntilAs];

  return {
    id: formatOtpId(otp.id, readings),
    mobile: formatMobile(otp.mobile, readings),
    cost: formatCost(price, readings),
    valid_until: readings.validUntilType === 'number' ? validUntil : String(validUntil),
  };
}

/** POST validate/{id}. OTP spec §4. */
export function validate(state: SimulatorState, call: CallRequest): Outcome {
  const { errorsListed, unknownId, validatePayload } = state.readings;

  const mobile = readMobile(call.body?.mobile, state.readings);
  if (mobile === null) return refuse(2103);
  const pin = call.body?.pin;
  if (typeof pin !== 'string' || !/^[0-9]+$/.test(pin)) return refuse(2107);

  const otp = state.otps.get(call.subject);
  if (otp === undefined && unknownId === 'uri-not-found') return refuse(1007);
  const [code, ...further] = checkPin(state, otp, mobile, pin);
  if (code !== undefined) {
    if (!hasFinerCodes(state)) return refuse(2107);
    return refuse(code, errorsListed === 'all' ? further : []);
  }

  if (otp !== undefined) otp.isConsumed = true;
  state.stats.count('validated');
  const payloads = { 'empty-string': '', null: null, 'empty-object': {}, missing: NO_PAYLOAD };
  return done(payloads[validatePayload]);
}

/** Returns the codes of B that reject the pin. A has 2107 for all of them. OTP spec §7. */
function checkPin(
  state: SimulatorState,
  otp: Otp | undefined,
  mobile: string,
  pin: string,
): number[] {
  const { judgedFirst, maxWrongPins } = state.readings;
  if (otp?.mobile !== mobile || otp.wrongPins >= (maxWrongPins ?? Infinity)) return [2120];

  const isRight = isSamePin(otp.secret, pin);
  if (!isRight) otp.wrongPins += 1;
  const codes = [isRight ? null : 2120, checkState(state, otp)].filter((code) => code !== null);
  return judgedFirst === 'pin' ? codes : codes.reverse();
}

function checkState(state: SimulatorState, otp: Otp): number | null {
  if (otp.isConsumed) return 2109;
  return state.clock.nowMs() >= otp.sentAtMs + otp.validitySeconds * 1000 ? 2108 : null;
}
