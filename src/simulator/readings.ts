import {
  boolean,
  custom,
  type GenericSchema,
  integer,
  literal,
  maxValue,
  minValue,
  nullable,
  number,
  partial,
  picklist,
  pipe,
  record,
  safeInteger,
  strictObject,
  string,
  union,
} from 'valibot';
import { isDictionary, isRecord } from '../protocol/envelope';
import { headerValue, httpStatus } from './http/answer';

/**
 * The documents leave room. Each member is one point they do not settle; its default is the careful reading.
 * A client is right when it works under every combination.
 */
export interface Readings {
  // ---- the envelope

  /**
   * Not shown in OTP spec §7: which HTTP status carries which code (only 401 with 1005 and 404 with 1007
   * are). Overrides by code; default none.
   */
  readonly httpStatusByCode: Readonly<Record<number, number>>;
  /**
   * Not shown in OTP spec §1: whether failures come with one HTTP status, such as 200 ("200 does not always
   * mean success"). Default `mapped`; a number is the status of all of them, and 200 is one of the plausible.
   */
  readonly errorStatus: 'mapped' | number;
  /** Not shown in OTP spec §1: whether a failure also has a payload. Default `absent`. */
  readonly failurePayload: 'absent' | 'null' | 'empty-string' | 'empty-object';
  /** Not shown in OTP spec §1: whether a success also has `errors`. Default `absent`. */
  readonly successErrors: 'absent' | 'empty' | 'null';
  /**
   * Not shown in OTP spec §2: whether the list of errors may hold codes as digit strings. Default `number`.
   */
  readonly codesAs: 'number' | 'string';
  /** Not shown in OTP spec §1: whether `status_code` may be a digit string. Default `number`. */
  readonly statusCodeAs: 'number' | 'string';
  /** Not shown in OTP spec §4: the content type of answers. Default `application/json`. */
  readonly contentType: string;

  // ---- requests

  /**
   * Not shown in OTP spec §4: whether "numeric" members are JSON numbers or digit strings. Default `either`.
   */
  readonly numericMembers: 'either' | 'number' | 'string';
  /** Not shown in OTP spec §4, HLR spec §4: whether a plus before the number is taken. Default false. */
  readonly acceptsPlus: boolean;
  /**
   * Not shown in OTP spec §4: whether a body without `Content-Type: application/json` is refused. Default
   * true.
   */
  readonly requiresJsonContentType: boolean;
  /**
   * Not shown in OTP spec §7: whether a missing username or password has its own code (1002, 1003 of the HLR
   * list) or 1004. Default `own`.
   */
  readonly missingCredentials: 'own' | '1004';

  // ---- tokens

  /** Not shown in OTP spec §2: `validity_period` missing, odd or as a string. Default `number`. */
  readonly validityPeriodAs: 'number' | 'string' | 'missing' | 'zero' | 'text';
  /** Not shown in OTP spec §3: whether refreshing ends the earlier access token. Default true. */
  readonly refreshEndsAccessToken: boolean;
  /** Not shown in OTP spec §3: whether refreshing ends the refresh token it used. Default true. */
  readonly refreshEndsRefreshToken: boolean;
  /**
   * Not shown in OTP spec §3: whether a refresh gives a new refresh token (the table says so) or the same
   * again. Default `new`; `same` overrides `refreshEndsRefreshToken`.
   */
  readonly refreshReturns: 'new' | 'same';
  /**
   * Not shown in OTP spec §4: whether a refresh keeps the validity asked for at login (A). Default false:
   * 1800.
   */
  readonly refreshKeepsValidity: boolean;
  /**
   * Not shown in OTP spec §2: whether a refresh token ends with its access token (§2 gives both one validity)
   * or works afterwards (§3 and §5 refresh after expiry). Default `outlives`.
   */
  readonly refreshTokenLife: 'outlives' | 'same';
  /** Not shown in OTP spec §3: whether "resets the connection" ends refresh tokens too. Default true. */
  readonly loginEndsRefreshTokens: boolean;
  /**
   * Not shown in OTP spec §3: what `validity_period` says of a preserved token: what is left, the full figure
   * although less is left, or the full one because its life begins anew. Default `remaining`.
   */
  readonly preservedValidity: 'remaining' | 'full' | 'renewed';
  /** Not shown in OTP spec §3: which refresh token comes with a preserved token. Default `same`. */
  readonly preservedRefreshToken: 'same' | 'new' | 'missing';

  // ---- generate

  /**
   * Not shown in OTP spec §2: the form of `mobile` (and `phone`, HLR spec §2) in answers. Default `digits`.
   */
  readonly mobileAs: 'digits' | 'number' | 'plus';
  /**
   * Not shown in OTP spec §2: the alphabet of an id in A. Default `hex`; `hostile` has slashes, spaces,
   * percent signs and more.
   */
  readonly idAlphabet: 'hex' | 'hostile';
  /** Not shown in OTP spec §2: whether an id of B may come as a string. Default `number`. */
  readonly idAs: 'number' | 'string';
  /**
   * Not shown in OTP spec §2: the size of an id of B. Default `safe`; `beyond-safe` is above 2^53, where a
   * JSON parser rounds.
   */
  readonly idSize: 'safe' | 'beyond-safe';
  /** Not shown in OTP spec §2: `cost` as string (sample) or number (field list). Default `string`. */
  readonly costAs: 'string' | 'number';
  /** Not shown in OTP spec §2, HLR spec §2: the decimals of amounts, 0 to 6. Default 4, as in the samples. */
  readonly moneyDecimals: number;
  /**
   * Not shown in OTP spec §2: unit and epoch of `valid_until`. Default `epoch-seconds`: the sample has 10
   * digits.
   */
  readonly validUntilAs: 'epoch-seconds' | 'epoch-ms' | 'duration-seconds';
  /**
   * Not shown in OTP spec §2: whether the text comes as `message` (sample) or `imessaged` (field list).
   * Default `message`.
   */
  readonly messageMember: 'message' | 'imessaged' | 'both';
  /** Not shown in OTP spec §2: `reference_code` when the request had none. Default `absent`. */
  readonly missingReferenceCode: 'absent' | 'empty' | 'null';
  /**
   * Not shown in OTP spec §4: whether a pin may begin with zero. Default `any`; `zero` and `not-zero` force
   * it.
   */
  readonly firstPinDigit: 'any' | 'zero' | 'not-zero';
  /** Not shown in OTP spec §4: whether several `[PIN]` are all replaced. Default `first`: only one is. */
  readonly placeholdersFilled: 'first' | 'all';
  /**
   * Not shown in OTP spec §4: whether the template or the text with the pin is measured. Default `both` must
   * fit.
   */
  readonly measured: 'both' | 'template' | 'text';
  /**
   * Not shown in OTP spec §7: the code for a send the balance does not cover, or null when it is sent all the
   * same. Default 1006, as for lookups.
   */
  readonly emptyBalanceCode: number | null;

  // ---- validate

  /**
   * Not shown in OTP spec §1, §4: the payload of a successful validate; §4 says an empty string. Default
   * `empty-string`.
   */
  readonly validatePayload: 'empty-string' | 'null' | 'empty-object' | 'missing';
  /** Not shown in OTP spec §3: whether a new pin for a number ends the one before. Default false. */
  readonly newPinEndsOld: boolean;
  /**
   * Not shown in OTP spec §7: whether a wrong pin for an expired or consumed OTP is told of the pin (2120) or
   * the state (2108, 2109). Default `pin`.
   */
  readonly judgedFirst: 'pin' | 'state';
  /**
   * Not shown in OTP spec §7: whether an unknown id is an invalid pin (A 2107, B 2120) or an unknown URI
   * (1007). Default `invalid-pin`.
   */
  readonly unknownId: 'invalid-pin' | 'uri-not-found';
  /** Not shown in OTP spec §8: wrong pins after which an OTP is dead, or null for no limit. Default null. */
  readonly maxWrongPins: number | null;

  // ---- lookup

  /** Not shown in HLR spec §7: which of its two codes for an invalid phone is used. Default 1221. */
  readonly invalidPhoneCode: 1221 | 2003;
  /**
   * Not shown in HLR spec §2: whether an invalid result carries more than phone, status and advanced_status.
   * Default `bare`.
   */
  readonly invalidLookup: 'bare' | 'full';
  /** Not shown in HLR spec §8: whether an invalid result costs the same. Default true. */
  readonly invalidLookupCosts: boolean;
}

/** The careful reading of every open point. */
export const DEFAULT_READINGS: Readings = {
  httpStatusByCode: {},
  errorStatus: 'mapped',
  failurePayload: 'absent',
  successErrors: 'absent',
  codesAs: 'number',
  statusCodeAs: 'number',
  contentType: 'application/json',
  numericMembers: 'either',
  acceptsPlus: false,
  requiresJsonContentType: true,
  missingCredentials: 'own',
  validityPeriodAs: 'number',
  refreshEndsAccessToken: true,
  refreshEndsRefreshToken: true,
  refreshReturns: 'new',
  refreshKeepsValidity: false,
  refreshTokenLife: 'outlives',
  loginEndsRefreshTokens: true,
  preservedValidity: 'remaining',
  preservedRefreshToken: 'same',
  mobileAs: 'digits',
  idAlphabet: 'hex',
  idAs: 'number',
  idSize: 'safe',
  costAs: 'string',
  moneyDecimals: 4,
  validUntilAs: 'epoch-seconds',
  messageMember: 'message',
  missingReferenceCode: 'absent',
  firstPinDigit: 'any',
  placeholdersFilled: 'first',
  measured: 'both',
  emptyBalanceCode: 1006,
  validatePayload: 'empty-string',
  newPinEndsOld: false,
  judgedFirst: 'pin',
  unknownId: 'invalid-pin',
  maxWrongPins: null,
  invalidPhoneCode: 1221,
  invalidLookup: 'bare',
  invalidLookupCosts: true,
};

const code = pipe(number(), safeInteger(), minValue(1));

/** Enforces what the types say, for callers without types. */
export const readingsSchema = pipe(
  custom<object>(isRecord, 'must be an object'),
  partial(
    strictObject({
      httpStatusByCode: pipe(
        custom<Record<string, number>>(isDictionary, 'must be an object'),
        record(string(), httpStatus),
      ),
      errorStatus: union([literal('mapped'), httpStatus]),
      failurePayload: picklist(['absent', 'null', 'empty-string', 'empty-object']),
      successErrors: picklist(['absent', 'empty', 'null']),
      codesAs: picklist(['number', 'string']),
      statusCodeAs: picklist(['number', 'string']),
      contentType: headerValue,
      numericMembers: picklist(['either', 'number', 'string']),
      acceptsPlus: boolean(),
      requiresJsonContentType: boolean(),
      missingCredentials: picklist(['own', '1004']),
      validityPeriodAs: picklist(['number', 'string', 'missing', 'zero', 'text']),
      refreshEndsAccessToken: boolean(),
      refreshEndsRefreshToken: boolean(),
      refreshReturns: picklist(['new', 'same']),
      refreshKeepsValidity: boolean(),
      refreshTokenLife: picklist(['outlives', 'same']),
      loginEndsRefreshTokens: boolean(),
      preservedValidity: picklist(['remaining', 'full', 'renewed']),
      preservedRefreshToken: picklist(['same', 'new', 'missing']),
      mobileAs: picklist(['digits', 'number', 'plus']),
      idAlphabet: picklist(['hex', 'hostile']),
      idAs: picklist(['number', 'string']),
      idSize: picklist(['safe', 'beyond-safe']),
      costAs: picklist(['string', 'number']),
      moneyDecimals: pipe(number(), integer(), minValue(0), maxValue(6)),
      validUntilAs: picklist(['epoch-seconds', 'epoch-ms', 'duration-seconds']),
      messageMember: picklist(['message', 'imessaged', 'both']),
      missingReferenceCode: picklist(['absent', 'empty', 'null']),
      firstPinDigit: picklist(['any', 'zero', 'not-zero']),
      placeholdersFilled: picklist(['first', 'all']),
      measured: picklist(['both', 'template', 'text']),
      emptyBalanceCode: nullable(code),
      validatePayload: picklist(['empty-string', 'null', 'empty-object', 'missing']),
      newPinEndsOld: boolean(),
      judgedFirst: picklist(['pin', 'state']),
      unknownId: picklist(['invalid-pin', 'uri-not-found']),
      maxWrongPins: nullable(code),
      invalidPhoneCode: picklist([1221, 2003]),
      invalidLookup: picklist(['bare', 'full']),
      invalidLookupCosts: boolean(),
    } satisfies Record<keyof Readings, GenericSchema>),
  ),
);
