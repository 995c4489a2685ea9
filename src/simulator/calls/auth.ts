import { createHash, timingSafeEqual } from 'node:crypto';
import type { Readings } from '../readings';
import type { SimulatorState } from '../state';
import type { Grant } from '../state/issued-tokens';
import { type Body, type CallRequest, done, type Outcome, readSeconds, refuse } from './call';

/** POST auth. OTP spec §4, HLR spec §4. */
export function authenticate(state: SimulatorState, request: CallRequest): Outcome {
  const { body } = request;
  if (body?.type === 'access_token') return logIn(state, body);
  if (body?.type === 'refresh_token') return refresh(state, body);
  return refuse(1001);
}

function logIn(state: SimulatorState, body: Body): Outcome {
  const { account, readings } = state;
  state.stats.countAuthentication('credentials');

  const { username, password } = body;
  if (!isFilled(username) || !isFilled(password))
    return refuseMissing(username, password, readings);

  const isRight = isSame(username, account.username) && isSame(password, account.password);
  if (!isRight) return refuse(1004);

  const preserve = state.variant === 'A' && body.preserve === true;
  return done(formatGrant(state.tokens.login(readValidity(state, body), preserve), readings));
}

function refuseMissing(username: unknown, password: unknown, readings: Readings): Outcome {
  if (readings.missingCredentials === '1004') return refuse(1004);
  if (isFilled(username)) return refuse(1003);
  return refuse(1002, readings.errorsListed === 'all' && !isFilled(password) ? [1003] : []);
}

function refresh(state: SimulatorState, body: Body): Outcome {
  const { tokens, readings } = state;
  state.stats.countAuthentication('refresh');

  const validitySeconds = readings.refreshTakesValidity ? readValidity(state, body) : null;
  const grant = isFilled(body.refresh_token)
    ? tokens.refresh(body.refresh_token, validitySeconds)
    : null;

  return grant === null ? refuse(1005) : done(formatGrant(grant, readings));
}

/**
 * Returns the requested validity, or null. B has no such field and ignores it. Not shown in OTP
 * spec §4: the answer to a malformed `validity` of a token. It is ignored.
 */
function readValidity(state: SimulatorState, body: Body): number | null {
  const requested = state.variant === 'A' ? readSeconds(body.validity, state.readings) : null;
  return requested === 0 ? null : requested;
}

/** OTP spec §2, authentication object. */
function formatGrant(grant: Grant, readings: Readings): unknown {
  const { refreshToken, validitySeconds } = grant;
  const { validityPeriodAs } = readings;
  const forms = {
    number: validitySeconds,
    string: String(validitySeconds),
    zero: 0,
    text: 'half an hour',
  };

  return {
    access_token: grant.accessToken,
    ...(validityPeriodAs !== 'missing' && { validity_period: forms[validityPeriodAs] }),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Compares hashes, so that the time reveals neither length nor content. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
