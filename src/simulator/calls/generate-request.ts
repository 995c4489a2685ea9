import { measureMessage, PLACEHOLDER } from '../../protocol/message-length';
import {
  DEFAULT_MESSAGE,
  DEFAULT_SENDER,
  DEFAULT_VALIDITY_SECONDS,
  isSender,
  REFERENCE_CODE_MAX,
  VALIDITY_RANGE_SECONDS,
} from '../../protocol/otp';
import type { World } from '../world';
import { readMobile, readSeconds } from './request-members';

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
export function readGenerateRequest(world: World, body: Body, pinDigits: number): GenerateRequest | number {
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
export function fillPin(message: string, pin: string, { readings }: World): string {
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
