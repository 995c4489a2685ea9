import { z } from 'zod';
import { GatewayRejectedError, GatewayResponseError, readFields } from '../errors';
import { readBalance, readPricing } from '../protocol/account';
import {
  type CredentialsBody,
  DEFAULT_TOKEN_VALIDITY_SECONDS,
  readToken,
  readTokens,
  type RefreshBody,
  type Tokens,
} from '../protocol/auth';
import { parseAnswer, readEnvelope } from '../protocol/envelope';
import { gatewayErrorName } from '../protocol/error-codes';
import { lookupRequest, type Lookup, readHlrPricing, readLookup } from '../protocol/hlr';
import {
  createGenerateRequest,
  createValidateRequest,
  type Generated,
  type GenerateInput,
  isValidated,
  readGenerated,
  type ValidateInput,
} from '../protocol/otp';
import { lookupPath, PATHS, validatePath } from '../protocol/paths';
import { parseInput, readOrNull, required, strictInput } from '../protocol/values';
import type { CallOptions } from './call-options';
import type { GatewayCall } from './gateway-call';
import { mayHaveActed } from './may-have-acted';
import { type ClientSettings, timeoutOption } from './options';

const MAX_ANSWER_BYTES = 64 * 1024;

/** The largest price list that is accepted: it has a row for every network of the world. */
const MAX_PRICE_LIST_BYTES = 8 * 1024 * 1024;

/** Reads the payload of a success. Null if it is not as documented. */
type ReadPayload<Result> = (payload: unknown, hasPayload: boolean) => Result | null;

/**
 * Every call of one client, and the record of its token. Import this file lazily only, because it
 * loads zod.
 */
export type Wire = ReturnType<typeof createWire>;

/** Prepares the schemas of one client. */
export function createWire(options: ClientSettings) {
  const { variant, acceptMissingPayload } = options;
  const generateRequest = z.compile(createGenerateRequest(options));
  const validateRequest = z.compile(createValidateRequest(options));
  const readValidated = createReader('validate', (payload, hasPayload) =>
    isValidated(payload, hasPayload, acceptMissingPayload) ? undefined : null,
  );
  return {
    /** @see OTP spec §4, POST auth */
    auth: (body: CredentialsBody | RefreshBody): GatewayCall<Tokens> =>
      post('auth', PATHS.auth, body, createReader('auth', readTokens)),

    /** @throws {TypeError} that names the invalid field. @see OTP spec §4, POST generate */
    generate: (input: GenerateInput): GatewayCall<Generated> => {
      const body = parseInput(generateRequest, input);
      const digits = String(body.mobile);
      const read = createReader('generate', (payload) => readGenerated(variant, payload, digits));
      return post('generate', PATHS.generate, body, read);
    },

    /** @throws {TypeError} that names the invalid field. @see OTP spec §4, POST validate/{id} */
    validate: (input: ValidateInput): GatewayCall<void> => {
      const { id, body } = parseInput(validateRequest, input);
      return post('validate', validatePath(id), body, readValidated);
    },

    /** @see OTP spec §4, GET balance */
    balance: get('balance', PATHS.balance[variant], readBalance),
    /** @see OTP spec §4, GET pricing */
    pricing: get('pricing', PATHS.pricing[variant], readPricing, MAX_PRICE_LIST_BYTES),

    /** @throws {TypeError} for an invalid number. @see HLR spec §4, GET {mobile} */
    lookup: (mobile: string): GatewayCall<Lookup> => {
      const { mobile: digits } = parseInput(lookupRequest, { mobile });
      return get('lookup', lookupPath(digits), (payload) => readLookup(payload, digits));
    },

    /** @see HLR spec §4, GET balance */
    hlrBalance: get('hlr-balance', PATHS['hlr-balance'], readBalance),
    /** @see HLR spec §4, GET pricing */
    hlrPricing: get('hlr-pricing', PATHS['hlr-pricing'], readHlrPricing, MAX_PRICE_LIST_BYTES),

    readCallOptions: (options: unknown): CallOptions => parseInput(callOptions, options),
    readTokenContents,
    toTokenContents,
  };
}

const callOptions = strictInput('option', {
  signal: z.custom<AbortSignal>(isSignal, 'must be an AbortSignal').optional(),
  timeoutMs: timeoutOption().optional(),
});

/** Returns whether a value works as an AbortSignal, also one of another realm or a library. */
function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = readFields(value);
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

type Name = GatewayCall<unknown>['name'];

function get<Result>(
  name: Name,
  path: string,
  readPayload: ReadPayload<Result>,
  maxBytes = MAX_ANSWER_BYTES,
) {
  return {
    name,
    method: 'GET',
    path,
    body: null,
    maxBytes,
    read: createReader(name, readPayload),
  } as const;
}

function post<Result>(name: Name, path: string, body: object, read: GatewayCall<Result>['read']) {
  return {
    name,
    method: 'POST',
    path,
    body: JSON.stringify(body),
    maxBytes: MAX_ANSWER_BYTES,
    read,
  } as const;
}

function createReader<Result>(
  name: Name,
  readPayload: ReadPayload<Result>,
): GatewayCall<Result>['read'] {
  return function read({ httpStatus, body, retryAfterSeconds }) {
    const parsed = parseAnswer(body);
    const answer = readEnvelope(httpStatus, parsed);

    if (answer.kind === 'rejected') {
      const { code } = answer;
      throw new GatewayRejectedError(name, {
        gatewayCode: code,
        gatewayName: gatewayErrorName(code),
        httpStatus,
        retryAfterSeconds,
        mayHaveArrived: mayHaveActed(name, code, httpStatus),
      });
    }

    const result =
      answer.kind === 'success' ? readPayload(answer.payload, answer.hasPayload) : null;
    if (result !== null) return result;
    const problem = parsed === undefined ? toTextProblem(body) : WRONG_FIELDS;
    throw new GatewayResponseError(name, httpStatus, problem, retryAfterSeconds);
  };
}

const WRONG_FIELDS = 'fields not as expected; check the variant';

/** Returns why a body is not JSON, without repeating any of it. */
function toTextProblem(body: string): string {
  if (body.startsWith('\uFEFF')) return 'its body begins with a byte order mark, so it is not JSON';
  if (body.trim() === '') return 'its body is empty';
  return /^\s*[{[]/.test(body)
    ? 'its body is not valid JSON'
    : 'its body begins with other text, so it is not JSON';
}

/** Checks the decrypted record of a token. */
const tokenContentsSchema = z.object({
  accessToken: required(readToken),
  /** Null if the gateway returned none: then only credentials can renew the token. */
  refreshToken: required(readToken).nullable(),
  /** When the token counts as expired, in milliseconds since 1970. */
  expiresAt: z.number(),
});

export type TokenContents = Readonly<z.output<typeof tokenContentsSchema>>;

/**
 * Reads the record of a token. Null if it is malformed. @throws {SyntaxError} if it is not JSON.
 */
function readTokenContents(json: string): TokenContents | null {
  return readOrNull(tokenContentsSchema, JSON.parse(json));
}

/** The longest validity that is believed, whatever the gateway answers. */
const LONGEST_VALIDITY_SECONDS = 86_400;

/**
 * The part of a token's validity that is left unused, because requests take time and clocks differ:
 * at most 5 % of it.
 */
const MARGIN_MS = 5_000;

/**
 * Returns the token with its end. Not shown in OTP spec §2: a missing or malformed
 * `validity_period`. Then the requested validity counts, or the default.
 * @param requestedAt When the token was requested, in milliseconds since 1970: its validity cannot
 * have begun earlier.
 */
function toTokenContents(
  tokens: Tokens,
  requestedAt: number,
  requestedSeconds = DEFAULT_TOKEN_VALIDITY_SECONDS,
): TokenContents {
  const agreedSeconds = tokens.validitySeconds ?? requestedSeconds;
  const lifeMs = Math.min(agreedSeconds, LONGEST_VALIDITY_SECONDS) * 1000;
  return {
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    expiresAt: requestedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 20),
  };
}
