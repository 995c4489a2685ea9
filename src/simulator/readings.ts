import { z } from 'zod';
import { oneOf, strictOptions, switchOption, wholeNumber } from '../define-options';

/** The schema of a final HTTP status. */
export const httpStatus = wholeNumber(200, 599);

const HEADER_VALUE = 'must be a string of printable ASCII characters';

/** The schema of a header value. Other characters would break the head of an answer. */
export const headerValue = z.string(HEADER_VALUE).regex(/^[\x20-\x7e]+$/, HEADER_VALUE);

const numericForm = oneOf('either', 'number', 'string');
const positiveInteger = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/**
 * Returns a schema for an object that is checked as a whole, because the path of an issue would
 * show one of its keys.
 */
export function dictionary<Value>(
  value: z.ZodType<Value>,
  problem: string,
  key: z.ZodType<string, string> = z.string(),
) {
  const schema = z.record(key, value);
  return z.custom<Readonly<Record<string, Value>>>(
    (given) => schema.safeParse(given).success,
    problem,
  );
}

const statusByCode = dictionary(
  httpStatus,
  'must be an object of HTTP statuses from 200 to 599, by error code',
);

const validityRange = strictOptions({ min: positiveInteger, max: positiveInteger }).refine(
  ({ min, max }) => min <= max,
  'must have a min that is not above its max',
);

/**
 * The points that the documents leave open, one field each. The default is the documented or most
 * careful reading. A correct client works with every combination.
 */
export const readingsSchema = strictOptions({
  // ---- the envelope

  /**
   * Not shown in OTP spec §7: which HTTP status carries which code (only 401 with 1005 and 404 with
   * 1007 are shown). Overrides by code. Default: none.
   */
  httpStatusByCode: statusByCode.default({}),
  /**
   * Not shown in OTP spec §1: whether all failures come with one HTTP status, such as 200 ("200
   * does not always mean success"). Default: `mapped`; a number is the status of all of them.
   */
  errorStatus: z
    .union([z.literal('mapped'), httpStatus], "must be 'mapped' or an HTTP status from 200 to 599")
    .default('mapped'),
  /** Not shown in OTP spec §1: whether a failure also has a payload. Default: `absent`. */
  failurePayload: oneOf('absent', 'null', 'empty-string', 'empty-object').default('absent'),
  /** Not shown in OTP spec §1: whether a success also has `errors`. Default: `absent`. */
  successErrors: oneOf('absent', 'empty', 'null').default('absent'),
  /**
   * Not shown in OTP spec §7: whether `errors` lists the first broken rule or all of them. `all`
   * applies to generate, to credentials and, where the codes are the finer ones, to validate.
   * Default: `first`.
   */
  errorsListed: oneOf('first', 'all').default('first'),
  /** Not shown in OTP spec §2: whether an error may come without its `message`. Default: `text`. */
  errorMessage: oneOf('text', 'missing').default('text'),
  /**
   * Not shown in OTP spec §2: whether the list of errors may hold codes as digit strings. Default:
   * `number`.
   */
  codesAs: oneOf('number', 'string').default('number'),
  /**
   * Not shown in OTP spec §1: whether `status_code` may be a digit string, be missing, or differ
   * from the HTTP status. `other` is another status of the same class, such as 200 for 201 and 400
   * for 422. Default: `number`.
   */
  statusCodeAs: oneOf('number', 'string', 'missing', 'other').default('number'),
  /** Not shown in OTP spec §1: whether `status_message` may be missing. Default: `text`. */
  statusMessage: oneOf('text', 'missing').default('text'),
  /**
   * Not shown in OTP spec §9, HLR spec §9: whether answers have fields that the documents do not
   * list. `true` adds one to the envelope, to each payload that is an object, and to each error.
   * Default: false.
   */
  extraFields: switchOption().default(false),
  /** Not shown in OTP spec §4: the content type of answers. Default: `application/json`. */
  contentType: headerValue.default('application/json'),

  // ---- requests

  /**
   * Not shown in OTP spec §4: whether "numeric" fields are JSON numbers or digit strings. An object
   * chooses for `mobile` and `validity` one by one. Default: `either`.
   */
  numericMembers: z
    .union(
      [
        numericForm,
        strictOptions({
          mobile: numericForm.default('either'),
          validity: numericForm.default('either'),
        }),
      ],
      "must be 'either', 'number' or 'string', or an object of them with the fields mobile and " +
        'validity',
    )
    .default('either'),
  /**
   * Not shown in OTP spec §4, HLR spec §4: whether a plus before the number is accepted. Default:
   * false.
   */
  acceptsPlus: switchOption().default(false),
  /**
   * Not shown in OTP spec §4: whether a body without `Content-Type: application/json` is refused.
   * Default: true.
   */
  requiresJsonContentType: switchOption().default(true),
  /**
   * Not shown in OTP spec §7: whether a missing username or password has its own code (1002, 1003
   * of the HLR list) or
   * 1004. Default: `own`.
   */
  missingCredentials: oneOf('own', '1004').default('own'),

  // ---- tokens

  /**
   * Not shown in OTP spec §2: `validity_period` missing, zero, as digits or as words. Default:
   * `number`.
   */
  validityPeriodAs: oneOf('number', 'string', 'missing', 'zero', 'text').default('number'),
  /** Not shown in OTP spec §3: whether refreshing ends the earlier access token. Default: true. */
  refreshEndsAccessToken: switchOption().default(true),
  /** Not shown in OTP spec §3: whether refreshing ends the refresh token it used. Default: true. */
  refreshEndsRefreshToken: switchOption().default(true),
  /**
   * Not shown in OTP spec §3: whether a refresh returns a new refresh token (the table says so) or
   * the same again. Default: `new`; `same` overrides `refreshEndsRefreshToken`.
   */
  refreshReturns: oneOf('new', 'same').default('new'),
  /**
   * Not shown in OTP spec §4: whether a refresh without `validity` keeps the one of the login (A).
   * Default: false: 1800.
   */
  refreshKeepsValidity: switchOption().default(false),
  /**
   * Not shown in OTP spec §4: whether `validity` counts beside a refresh token (A). The document
   * lists it for both types. Default: true.
   */
  refreshTakesValidity: switchOption().default(true),
  /**
   * Not shown in OTP spec §2: whether a refresh token ends with its access token (§2 gives both one
   * validity) or works afterwards (§3 and §5 refresh after expiry). Default: `outlives`.
   */
  refreshTokenLife: oneOf('outlives', 'same').default('outlives'),
  /**
   * Not shown in OTP spec §3: whether "resets the connection" ends refresh tokens too. Default:
   * true.
   */
  loginEndsRefreshTokens: switchOption().default(true),
  /**
   * Not shown in OTP spec §3: the `validity_period` of a preserved token: what is left, the full
   * period although less is left, or the full one because it starts again. Default: `remaining`.
   */
  preservedValidity: oneOf('remaining', 'full', 'renewed').default('remaining'),
  /**
   * Not shown in OTP spec §3: which refresh token comes with a preserved token. Default: `same`.
   */
  preservedRefreshToken: oneOf('same', 'new', 'missing').default('same'),

  // ---- generate

  /**
   * Not shown in OTP spec §4: whether another success status than the documented 201 is used.
   * Default: 201.
   */
  generateStatus: wholeNumber(200, 299).default(201),
  /**
   * Not shown in OTP spec §2: the form of `mobile` (and `phone`, HLR spec §2) in answers. Default:
   * `digits`.
   */
  mobileAs: oneOf('digits', 'number', 'plus').default('digits'),
  /**
   * Not shown in OTP spec §2: the alphabet of an id in A. Default: `hex`; `hostile` has slashes,
   * spaces and more.
   */
  idAlphabet: oneOf('hex', 'hostile').default('hex'),
  /**
   * Not shown in OTP spec §2: whether an id of B may come as a string. Default: `number`; `padded`
   * is a string of 20 digits with leading zeros, all of which belong to the id.
   */
  idAs: oneOf('number', 'string', 'padded').default('number'),
  /**
   * Not shown in OTP spec §2: the size of an id of B. Default: `safe`; `beyond-safe` is above 2^53,
   * where a JSON parser rounds, and `20-digits` is the longest.
   */
  idSize: oneOf('safe', 'beyond-safe', '20-digits').default('safe'),
  /**
   * Not shown in OTP spec §2: `cost` as string (sample) or number (field list). Default: `string`.
   */
  costAs: oneOf('string', 'number').default('string'),
  /**
   * Not shown in OTP spec §2, HLR spec §2: the decimals of amounts, 0 to 6. Default: 4, as in the
   * samples.
   */
  moneyDecimals: wholeNumber(0, 6).default(4),
  /**
   * Not shown in OTP spec §2, HLR spec §2: whether network codes come as strings, as the field
   * lists say, or as numbers: `mcc`, `mnc`, `imsi`, `msc` and `countrycode`. A number has no
   * leading zero. Default: `string`.
   */
  networkCodesAs: oneOf('string', 'number').default('string'),
  /**
   * Not shown in OTP spec §2: unit and epoch of `valid_until`. Default: `epoch-seconds`: the sample
   * has 10 digits.
   */
  validUntilAs: oneOf('epoch-seconds', 'epoch-ms', 'duration-seconds').default('epoch-seconds'),
  /** Not shown in OTP spec §2: whether `valid_until` may be a digit string. Default: `number`. */
  validUntilType: oneOf('number', 'string').default('number'),
  /**
   * Not shown in OTP spec §2: whether the message is `message` (sample) or `imessaged` (field
   * list). Default: `message`.
   */
  messageMember: oneOf('message', 'imessaged', 'both').default('message'),
  /** Not shown in OTP spec §2: `reference_code` when the request had none. Default: `absent`. */
  missingReferenceCode: oneOf('absent', 'empty', 'null').default('absent'),
  /**
   * Not shown in OTP spec §7: what a `reference_code` of more than 50 characters leads to: 2105,
   * 422 as a code of its own, or its first 50 characters. Default: 2105.
   */
  longReferenceCode: z.literal([2105, 422, 'cut'], "must be 2105, 422 or 'cut'").default(2105),
  /**
   * Not shown in OTP spec §8: the range of `validity` in B. Default: null: any whole number above
   * zero.
   */
  validityRangeB: validityRange.nullable().default(null),
  /**
   * Not shown in OTP spec §4: whether a pin may begin with zero. Default: `any`; `zero` and
   * `not-zero` force it.
   */
  firstPinDigit: oneOf('any', 'zero', 'not-zero').default('any'),
  /**
   * Not shown in OTP spec §4: whether several `[PIN]` are all replaced. Default: `first`: only one
   * is.
   */
  placeholdersFilled: oneOf('first', 'all').default('first'),
  /**
   * Not shown in OTP spec §4: whether the template or the text with the pin is measured. Default:
   * `both` must fit.
   */
  measured: oneOf('both', 'template', 'text').default('both'),
  /**
   * Not shown in OTP spec §8: what the limits of 160 and 70 count: `units`, which are septets or
   * UCS-2 units, so that an extension character counts double; `characters`, by the letter of §8;
   * or `mixed`, the characters of the template and the units of the text, as the client measures.
   * Default: `mixed`.
   */
  measuredIn: oneOf('mixed', 'units', 'characters').default('mixed'),
  /**
   * Not shown in OTP spec §8: whether the extension characters, such as € and [, belong to the GSM
   * 7-bit table or need UCS-2. Default: `gsm-7`.
   */
  extensionCharacters: oneOf('gsm-7', 'ucs-2').default('gsm-7'),
  /**
   * Not shown in OTP spec §8: whether the brackets of `[PIN]`, which are never sent, are measured.
   * Default: true.
   */
  bracketsCount: switchOption().default(true),
  /**
   * Not shown in OTP spec §7: the code for a send the balance does not cover, or null when it is
   * sent all the same. Default: 1006, as for lookups.
   */
  emptyBalanceCode: positiveInteger.nullable().default(1006),
  /**
   * Not shown in OTP spec §7: what A, which does not list 2100, answers to an account without
   * permission. Default: 2121.
   */
  noPermissionCodeA: z.literal([2121, 2100], 'must be 2121 or 2100').default(2121),
  /**
   * Not shown in OTP spec §7: whether A also uses the finer codes that only the list of B has:
   * 2101, 2102, 2106, 2108, 2109 and 2120. Default: `listed`: 2103, 2105 and 2107 in their place.
   */
  codesOfA: oneOf('listed', 'finer').default('listed'),

  // ---- validate

  /**
   * Not shown in OTP spec §1, §4: the payload of a successful validate. Default: `empty-string`, as
   * §4 says.
   */
  validatePayload: oneOf('empty-string', 'null', 'empty-object', 'missing').default('empty-string'),
  /**
   * Not shown in OTP spec §3: whether a new pin for a number ends the one before. Default: false.
   */
  newPinEndsOld: switchOption().default(false),
  /**
   * Not shown in OTP spec §7: whether a wrong pin for an expired or consumed OTP is reported as a
   * wrong pin (2120) or by the state (2108, 2109). Default: `pin`.
   */
  judgedFirst: oneOf('pin', 'state').default('pin'),
  /**
   * Not shown in OTP spec §7: whether an unknown id is an invalid pin (A 2107, B 2120) or 1007.
   * Default: `invalid-pin`.
   */
  unknownId: oneOf('invalid-pin', 'uri-not-found').default('invalid-pin'),
  /**
   * Not shown in OTP spec §8: wrong pins after which an OTP is dead, or null for no limit. Default:
   * null.
   */
  maxWrongPins: positiveInteger.nullable().default(null),

  // ---- lookup

  /**
   * Not shown in HLR spec §7: which of its two codes for an invalid phone is used. Default: 1221.
   */
  invalidPhoneCode: z.literal([1221, 2003], 'must be 1221 or 2003').default(1221),
  /**
   * Not shown in HLR spec §2: whether an invalid result carries more than phone and statuses.
   * Default: `bare`.
   */
  invalidLookup: oneOf('bare', 'full').default('bare'),
  /** Not shown in HLR spec §8: whether an invalid result costs the same. Default: true. */
  invalidLookupCosts: switchOption().default(true),
});

/** How every open point is read. */
export type Readings = Readonly<z.output<typeof readingsSchema>>;

/** The documented or careful reading of every open point. */
export const DEFAULT_READINGS: Readings = readingsSchema.parse({});
