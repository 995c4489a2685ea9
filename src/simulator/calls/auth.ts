import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_TOKEN_VALIDITY_SECONDS } from '../../protocol/auth';
import type { Readings } from '../readings';
import type { World } from '../state';
import type { Grant } from '../state/token-store';
import { type CallRequest, done, type Outcome, readSeconds, refuse } from './call';

/** POST auth. OTP spec §4, HLR spec §4. */
export function authenticate(world: World, { body }: CallRequest): Outcome {
  if (body?.type === 'access_token') return logIn(world, body);
  if (body?.type === 'refresh_token') return refresh(world, body);
  return refuse(1001);
}

function logIn(world: World, body: Readonly<Record<string, unknown>>): Outcome {
  const { account, readings, tokens, stats } = world;
  stats.countAuthentication('credentials');
  const { username, password } = body;
  if (!isFilled(username)) return refuse(readings.missingCredentials === 'own' ? 1002 : 1004);
  if (!isFilled(password)) return refuse(readings.missingCredentials === 'own' ? 1003 : 1004);
  const isRight = isSame(username, account.username) && isSame(password, account.password);
  if (!isRight) return refuse(1004);
  const preserve = world.variant === 'A' && body.preserve === true;
  return done(showGrant(tokens.login(readValidity(world, body), preserve), readings));
}

function refresh({ tokens, readings, stats }: World, body: Readonly<Record<string, unknown>>): Outcome {
  stats.countAuthentication('refresh');
  const grant = isFilled(body.refresh_token) ? tokens.refresh(body.refresh_token) : null;
  return grant === null ? refuse(1005) : done(showGrant(grant, readings));
}

/**
 * Not shown in OTP spec §4: what an odd `validity` of a token does. It is left aside, as in B, which has
 * none.
 */
function readValidity({ variant, readings }: World, body: Readonly<Record<string, unknown>>): number {
  const asked = variant === 'A' ? readSeconds(body.validity, readings) : null;
  return asked === null || asked === 0 ? DEFAULT_TOKEN_VALIDITY_SECONDS : asked;
}

/** OTP spec §2, authentication object. */
function showGrant({ accessToken, refreshToken, validitySeconds }: Grant, readings: Readings): unknown {
  return {
    access_token: accessToken,
    ...showValidityPeriod(validitySeconds, readings),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  };
}

function showValidityPeriod(seconds: number, { validityPeriodAs }: Readings): object {
  const forms = { number: seconds, string: String(seconds), zero: 0, text: 'half an hour' };
  return validityPeriodAs === 'missing' ? {} : { validity_period: forms[validityPeriodAs] };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Compares hashes, so that neither length nor content shows in the time it takes. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
