import { randomBytes, randomInt } from 'node:crypto';
import { inspect } from 'node:util';
import type { SimulatorOptions } from 'passport-sms-otp/simulator';

/** Words that nothing may repeat: what is found of them anywhere is a leak. */
export interface Canaries {
  readonly simulator: SimulatorOptions;
  /** Everything that is secret so far: tokens are added as the gateway gives them. */
  readonly secrets: Set<string>;
  /** The secrets that occur in a text, as they are or encoded. */
  find(text: string): string[];
}

/** What a store or a sink of the app may say in an error. */
export const FOREIGN_CANARY = 'canary: ';

/** Ten digits, so that no other figure looks like it by chance. */
const PIN = '8675309042';

/** @param mobile the user's number, E.164 with plus. */
export function plantCanaries(mobile: string): Canaries {
  const username = 'canary-gateway-user';
  const password = 'canary gateway/pass+word';
  const secrets = new Set([
    username,
    password,
    PIN,
    mobile.slice(1),
    mobile.slice(2),
    FOREIGN_CANARY,
  ]);
  const bytes = (size: number): Buffer => {
    const made = randomBytes(size);
    // The simulator's tokens are 24 bytes as base64url.
    if (size === 24) secrets.add(made.toString('base64url'));
    return made;
  };
  return {
    secrets,
    simulator: {
      username,
      password,
      pinDigits: 10,
      fixedPins: { [mobile]: PIN },
      randomness: { bytes, integer: (below) => randomInt(below) },
    },
    find: (text) =>
      [...secrets].filter((secret) =>
        spellings(secret).some((spelling) => text.includes(spelling)),
      ),
  };
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 of a text inside a longer one begins at one of three places; the middle of it is always
  // there.
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...base64.filter((text) => text.length > 6),
  ];
}

/** Everything that can be read from a value, hidden members and causes included. */
export function tellAll(value: unknown): string {
  const parts = [
    inspect(value, { showHidden: true, depth: Infinity, maxStringLength: Infinity }),
    toJson(value),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    parts.push(error.message, error.stack ?? '', String(error), toJson(error));
  }
  return parts.join('\n');
}

function toJson(value: unknown): string {
  const replace = (_key: string, member: unknown): unknown =>
    typeof member === 'bigint' ? String(member) : member;
  return JSON.stringify(value, replace);
}
