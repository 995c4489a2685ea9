import { describe, expect, it } from '@jest/globals';
import {
  FirstFactorError,
  GatewayAbortedError,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  isGatewayError,
  RecoveryCodesError,
  SecondFactorError,
  SessionError,
  StoreError,
  UsageError,
} from '../src/errors';
import { toSafeCause } from '../src/foreign-error';

const NAMES = [
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'AggregateError',
  'AbortError',
  'TimeoutError',
];
const CODES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EPROTO', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
  ...[
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'UND_ERR_DESTROYED',
    'UND_ERR_CLOSED',
    'UND_ERR_ABORTED',
  ],
  ...[
    'UND_ERR_INFO',
    'UND_ERR_HEADERS_OVERFLOW',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'HPE_INVALID_CONSTANT',
  ],
  ...[
    'HPE_INVALID_HEADER_TOKEN',
    'HPE_INVALID_CHUNK_SIZE',
    'HPE_INVALID_CONTENT_LENGTH',
    'HPE_INVALID_VERSION',
  ],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...[
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
  'ERR_SSL_WRONG_VERSION_NUMBER',
];

describe('of a foreign error', () => {
  it.each(NAMES)('the name %s is told', (name) => {
    expect(toSafeCause({ name })).toEqual({ name, code: null });
  });

  it.each(CODES)('the code %s is told', (code) => {
    expect(toSafeCause({ code })).toEqual({ name: 'Error', code });
  });

  it.each([
    ['a name and a code that nobody knows', { name: '+12025550123', code: 'pin 123456' }],
    ['nothing for a name and a code', { name: '', code: '' }],
    ['a part of a known word', { name: 'Type', code: 'E_' }],
    ['a known word and more', { name: 'TypeError: 123456', code: 'EPIPE 123456' }],
    ['two known words', { name: 'TypeError RangeError', code: 'EPIPE ECONNRESET' }],
    ['numbers', { name: 7, code: 23_505 }],
    ['lists', { name: ['TypeError'], code: ['EPIPE'] }],
    ['only a message', new Error('pin 123456 of +12025550123')],
    ['no object but a text', 'TypeError'],
    ['null', null],
    ['nothing at all', undefined],
  ])('%s comes to the two words that say nothing', (_title, thrown) => {
    expect(toSafeCause(thrown)).toEqual({ name: 'Error', code: null });
  });

  it('nothing else is kept: no message, no stack, no cause of its own', () => {
    const foreign = Object.assign(new TypeError('pin 123456', { cause: 'pin 123456' }), {
      code: 'EPIPE',
      address: '10.0.0.1',
    });
    const error = new StoreError('claim', foreign);
    expect(error.cause).toEqual({ name: 'TypeError', code: 'EPIPE' });
    expect(Object.keys(error.cause ?? {})).toEqual(['name', 'code']);
    expect(error.message).toBe('The store failed (claim): EPIPE');
  });

  it('nothing is told where there was none: an error has no cause then, not even an empty one', () => {
    for (const error of [new StoreError('claim'), new GatewayTimeoutError('validate', 1, true)]) {
      expect('cause' in error).toBe(false);
    }
  });
});

const call = 'validate';
const session = { name: 'SessionError', message: 'words' };
const ERRORS: readonly (readonly [string, () => Error, object])[] = [
  [
    'a gateway that was not reached',
    () => new GatewayUnreachableError(call, false, { code: 'ECONNREFUSED' }),
    {
      name: 'GatewayUnreachableError',
      code: 'ERR_GATEWAY_UNREACHABLE',
      status: 503,
      mayHaveArrived: false,
      message: 'The OTP gateway could not be reached (validate): ECONNREFUSED',
      cause: { name: 'Error', code: 'ECONNREFUSED' },
    },
  ],
  [
    'an answer that was lost',
    () => new GatewayUnreachableError(call, true),
    { code: 'ERR_GATEWAY_UNREACHABLE', status: 502, mayHaveArrived: true },
  ],
  [
    'an answer that did not come in time',
    () => new GatewayTimeoutError(call, 250, true),
    {
      name: 'GatewayTimeoutError',
      code: 'ERR_GATEWAY_TIMEOUT',
      status: 504,
      mayHaveArrived: true,
      message: 'The OTP gateway did not answer within 250 ms (validate)',
    },
  ],
  [
    'an answer that is not as documented',
    () => new GatewayResponseError(call, 302, 'it is a redirect'),
    {
      name: 'GatewayResponseError',
      code: 'ERR_GATEWAY_RESPONSE',
      status: 502,
      httpStatus: 302,
      message: "The OTP gateway's answer is not as documented (validate): it is a redirect",
    },
  ],
  [
    'a code of the documents',
    () =>
      new GatewayRejectedError(call, {
        gatewayCode: 2107,
        gatewayName: 'INVALID_PIN',
        httpStatus: 401,
      }),
    {
      name: 'GatewayRejectedError',
      code: 'ERR_GATEWAY_REJECTED',
      status: 502,
      gatewayCode: 2107,
      gatewayName: 'INVALID_PIN',
      httpStatus: 401,
      message: 'The OTP gateway rejected the request (validate): 2107 INVALID_PIN',
    },
  ],
  [
    'a code that is not in the documents',
    () => new GatewayRejectedError(call, { gatewayCode: 4711, httpStatus: 503 }),
    { status: 502, message: 'The OTP gateway rejected the request (validate): 4711' },
  ],
  [
    'a status and no code',
    () => new GatewayRejectedError(call, { httpStatus: 503 }),
    { status: 503, message: 'The OTP gateway rejected the request (validate): HTTP 503' },
  ],
  [
    'a call that was refused here',
    () => new GatewayBusyError('the queue is full', 7),
    {
      name: 'GatewayBusyError',
      code: 'ERR_GATEWAY_BUSY',
      status: 503,
      retryAfterSeconds: 7,
      headers: { 'Retry-After': '7' },
      message: 'The call to the OTP gateway was refused: the queue is full',
    },
  ],
  [
    'a call that its caller has ended',
    () => new GatewayAbortedError(call, true),
    {
      name: 'GatewayAbortedError',
      code: 'ERR_GATEWAY_ABORTED',
      status: 503,
      mayHaveArrived: true,
      message: 'The call to the OTP gateway was aborted by its signal (validate)',
    },
  ],
  [
    'a store that failed',
    () => new StoreError('claim', new RangeError('x')),
    {
      name: 'StoreError',
      code: 'ERR_STORE',
      status: 503,
      cause: { name: 'RangeError', code: null },
    },
  ],
  [
    'a session that is missing',
    () => new SessionError('ERR_NO_SESSION', 'words'),
    {
      ...session,
      code: 'ERR_NO_SESSION',
      status: 500,
      message: 'words (see docs/troubleshooting.md#err_no_session of passport-sms-otp)',
    },
  ],
  [
    'a session that was not renewed',
    () => new SessionError('ERR_SESSION_NOT_RENEWED', 'words'),
    {
      ...session,
      code: 'ERR_SESSION_NOT_RENEWED',
      status: 500,
      message: 'words (see docs/troubleshooting.md#err_session_not_renewed of passport-sms-otp)',
    },
  ],
  [
    'a session that was not saved',
    () => new SessionError('ERR_SESSION_STORE', 'words', new TypeError('x')),
    {
      ...session,
      code: 'ERR_SESSION_STORE',
      status: 503,
      cause: { name: 'TypeError', code: null },
    },
  ],
  [
    'no first factor',
    () => new FirstFactorError('user'),
    {
      name: 'FirstFactorError',
      code: 'ERR_NO_FIRST_FACTOR',
      status: 500,
      message:
        'smsOtp.send() found no result of a first factor: req.user is missing. Put send right after the first factor, ' +
        "which must not have assignProperty: app.post('/login', passport.authenticate('local', { session: false }), " +
        'smsOtp.send()) (see docs/troubleshooting.md#err_no_first_factor of passport-sms-otp)',
    },
  ],
  [
    'a wrong use',
    () => new UsageError('ERR_NOT_CALLED', 'send'),
    {
      name: 'UsageError',
      code: 'ERR_NOT_CALLED',
      status: 500,
      message:
        'send returns a middleware: write send() with parentheses (see docs/troubleshooting.md#err_not_called of passport-sms-otp)',
    },
  ],
  [
    'no second factor',
    () => new SecondFactorError('words'),
    { name: 'SecondFactorError', code: 'ERR_SECOND_FACTOR_NEEDED', status: 403, message: 'words' },
  ],
  [
    'codes of a form that has made some',
    () => new RecoveryCodesError('words'),
    { name: 'RecoveryCodesError', code: 'ERR_CODES_ALREADY_MADE', status: 409, message: 'words' },
  ],
];

describe('an error of ours', () => {
  it.each(ERRORS)('has its name, code, status and words: %s', (_title, make, members) => {
    expect(make()).toMatchObject(members);
  });

  it.each([
    [null, 428, 502],
    [null, 429, 503],
    [null, 430, 502],
    [null, 499, 502],
    [null, 500, 503],
    [null, 599, 503],
    [1222, 422, 503],
    [2002, 402, 503],
    [2121, 200, 503],
    [2107, 429, 502],
    [2107, 500, 502],
  ])(
    'where the gateway rejects with code %p and status %i has status %i',
    (code, httpStatus, status) => {
      expect(new GatewayRejectedError(call, { gatewayCode: code, httpStatus }).status).toBe(status);
    },
  );
});

describe('the header Retry-After of an error', () => {
  it.each([
    [
      '429 in front of the gateway',
      new GatewayResponseError(call, 429, 'it is not JSON', 17),
      { 'Retry-After': '17' },
    ],
    ['503 without seconds', new GatewayResponseError(call, 503, 'it is not JSON'), {}],
    ['500 in front of the gateway', new GatewayResponseError(call, 500, 'it is not JSON', 17), {}],
    [
      '429 of the gateway',
      new GatewayRejectedError(call, { httpStatus: 429, retryAfterSeconds: 17 }),
      { 'Retry-After': '17' },
    ],
    [
      '2121 without seconds',
      new GatewayRejectedError(call, {
        gatewayCode: 2121,
        gatewayName: 'SERVICE_UNAVAILABLE',
        httpStatus: 422,
      }),
      {},
    ],
    [
      '2105, which waiting does not help',
      new GatewayRejectedError(call, {
        gatewayCode: 2105,
        gatewayName: 'X',
        httpStatus: 422,
        retryAfterSeconds: 17,
      }),
      {},
    ],
  ])('after %s is for a 503 whose seconds are known', (_title, { headers }, expected) => {
    expect(headers).toEqual(expected);
  });
});

it.each([
  ['GatewayUnreachableError', new GatewayUnreachableError(call, false), true],
  ['GatewayTimeoutError', new GatewayTimeoutError(call, 1, true), true],
  ['GatewayResponseError', new GatewayResponseError(call, 302, 'x'), true],
  [
    'GatewayRejectedError',
    new GatewayRejectedError(call, { gatewayCode: 2107, gatewayName: 'X', httpStatus: 401 }),
    true,
  ],
  ['GatewayBusyError', new GatewayBusyError('x', 1), true],
  ['StoreError', new StoreError('claim'), false],
  ['TypeError', new TypeError('x'), false],
  ['undefined', undefined, false],
])('%s is told from other errors as one of the gateway or not', (_name, error, isOne) => {
  expect(isGatewayError(error)).toBe(isOne);
});
