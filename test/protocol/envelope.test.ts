import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseAnswer, readEnvelope } from '../../src/protocol/envelope';
import { casesOf } from '../support/complete-run';

const OK = { status_code: 200, status_message: 'OK' };

describe('a documented success', () => {
  it.each([
    ['200 with an object', 200, { ...OK, payload: { balance: '12.5000' } }, { balance: '12.5000' }],
    ['200 with an empty string', 200, { ...OK, payload: '' }, ''],
    [
      '201',
      201,
      { status_code: 201, status_message: 'Created', payload: { id: '1' } },
      { id: '1' },
    ],
    ['an empty errors array', 200, { ...OK, payload: '', errors: [] }, ''],
    ['null errors', 200, { ...OK, payload: '', errors: null }, ''],
    ['a null payload', 200, { ...OK, payload: null }, null],
    ['status_code as digits', 200, { status_code: '200', payload: '' }, ''],
    ['no status_code', 200, { payload: '' }, ''],
    ['members nobody documented', 200, { ...OK, payload: '', trace: 'x', constructor: 1 }, ''],
  ])('is read: %s', (_what, httpStatus, body, payload) => {
    expect(readEnvelope(httpStatus, body)).toEqual({ kind: 'success', payload, hasPayload: true });
  });

  it('without a payload says that it has none', () => {
    expect(readEnvelope(200, OK)).toEqual({
      kind: 'success',
      payload: undefined,
      hasPayload: false,
    });
  });
});

describe('a documented failure', () => {
  const error = (code: unknown) => ({ code, message: 'foreign words' });

  it.each([
    [
      '401 with 1005',
      401,
      { status_code: 401, status_message: 'Unauthorized', errors: [error(1005)] },
      1005,
    ],
    [
      '404 with 1007',
      404,
      { status_code: 404, status_message: 'Not found', errors: [error(1007)] },
      1007,
    ],
    ['422 with 2103', 422, { status_code: 422, errors: [error(2103)] }, 2103],
    ['200 with errors', 200, { ...OK, errors: [error(2107)] }, 2107],
    ['200 with errors and a payload', 200, { ...OK, payload: '', errors: [error(2120)] }, 2120],
    [
      'errors under a status that does not match',
      500,
      { status_code: 200, errors: [error(2121)] },
      2121,
    ],
    ['a code as a string of digits', 401, { status_code: '401', errors: [error('1009')] }, 1009],
    ['a code nobody documented', 422, { status_code: 422, errors: [error(4242)] }, 4242],
    [
      'several errors, of which the first counts',
      422,
      { errors: [error(2104), error(2105)] },
      2104,
    ],
    ['an error without message', 422, { errors: [{ code: 2110 }] }, 2110],
  ])('is read: %s', (_what, httpStatus, body, code) => {
    expect(readEnvelope(httpStatus, body)).toEqual({ kind: 'rejected', code });
  });

  it.each([429, 500, 502, 503])(
    'may have no code when the envelope repeats the status %s',
    (status) => {
      expect(readEnvelope(status, { status_code: status, status_message: 'later' })).toEqual({
        kind: 'rejected',
        code: null,
      });
      expect(readEnvelope(status, { status_code: String(status), errors: [] })).toEqual({
        kind: 'rejected',
        code: null,
      });
    },
  );
});

describe('anything else', () => {
  it.each([
    ['null', 200, null],
    ['a string', 200, 'OK'],
    ['a number', 200, 200],
    ['true', 200, true],
    ['an array', 200, []],
    ['an array with an envelope', 200, [{ ...OK, payload: '' }]],
    ['another success status', 202, { status_code: 202, payload: '' }],
    ['204', 204, { payload: '' }],
    ['a redirect', 302, { ...OK, payload: '' }],
    ['a status_code of failure under 200', 200, { status_code: 401, payload: '' }],
    ['a status_code of success under 401', 401, { ...OK, payload: '' }],
    ['a null status_code', 200, { status_code: null, payload: '' }],
    ['a true status_code', 200, { status_code: true, payload: '' }],
    ['a status_code with a fraction', 200, { status_code: 200.5, payload: '' }],
    ['a status_code with a sign', 200, { status_code: '+200', payload: '' }],
    ['an odd status_code beside an error', 401, { status_code: 'OK', errors: [{ code: 1009 }] }],
    ['errors as an object', 200, { ...OK, payload: '', errors: {} }],
    ['errors as a string', 200, { ...OK, payload: '', errors: '' }],
    ['errors as false', 200, { ...OK, payload: '', errors: false }],
    ['an error that is a string', 401, { status_code: 401, errors: ['1009'] }],
    ['an error without code', 401, { status_code: 401, errors: [{ message: 'no' }] }],
    ['an error whose code is a word', 401, { status_code: 401, errors: [{ code: 'E1009' }] }],
    ['an error whose code is negative', 401, { status_code: 401, errors: [{ code: -1 }] }],
    [
      'an error whose code has ten digits',
      401,
      { status_code: 401, errors: [{ code: '1234567890' }] },
    ],
    [
      'an error whose code no float can count',
      401,
      { status_code: 401, errors: [{ code: 2 ** 53 }] },
    ],
    ['a second error that is odd', 401, { status_code: 401, errors: [{ code: 2107 }, {}] }],
    ['an error whose code is null', 401, { status_code: 401, errors: [{ code: null }] }],
    ['400 without errors', 400, { status_code: 400, status_message: 'Bad Request' }],
    ['401 with an empty errors array', 401, { status_code: 401, errors: [] }],
    ['500 without status_code', 500, { status_message: 'Internal Server Error' }],
    ['503 with another status_code', 503, { status_code: 500 }],
  ])('is malformed: %s', (_what, httpStatus, body: unknown) => {
    expect(readEnvelope(httpStatus, body)).toEqual({ kind: 'malformed' });
  });

  it.each([
    '{"__proto__":{"status_code":200,"payload":""}}',
    '{"status_code":200,"__proto__":{"payload":""}}',
    '{"status_code":200,"constructor":{"prototype":{"payload":""}}}',
  ])('a payload cannot come in through a prototype: %s', (json) => {
    const answer = readEnvelope(200, JSON.parse(json));
    expect(answer).toEqual({ kind: 'success', payload: undefined, hasPayload: false });
  });

  it('errors cannot be hidden behind a prototype', () => {
    const body: unknown = JSON.parse(
      '{"errors":[{"code":2107}],"__proto__":{"errors":[]},"payload":""}',
    );
    expect(readEnvelope(200, body)).toEqual({ kind: 'rejected', code: 2107 });
  });
});

const absent = Symbol('absent');
const statusCodes = [
  absent,
  200,
  201,
  '200',
  '201',
  202,
  401,
  500,
  0,
  -200,
  200.5,
  '',
  'OK',
  null,
  true,
  [200],
];
const errorMembers = [
  absent,
  null,
  [],
  [{ code: 2107 }],
  [{ code: '2107' }],
  [{}],
  [[]],
  [null],
  ['2107'],
  {},
  '',
  0,
  false,
];

const envelope = fc
  .record({
    status_code: fc.constantFrom<unknown>(...statusCodes),
    errors: fc.constantFrom<unknown>(...errorMembers),
    payload: fc.oneof(fc.constant<unknown>(absent), fc.constant(''), fc.jsonValue()),
  })
  .map((members) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== absent)),
  );

const httpStatus = fc.oneof(fc.constantFrom(200, 201), fc.integer({ min: 100, max: 599 }));

/** The documented success, said a second time: OTP spec §1, HLR spec §1. */
function isDocumentedSuccess(status: number, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const members = new Map<string, unknown>(Object.entries(body));
  const errors = members.get('errors') ?? [];
  const mirrorsSuccess =
    !members.has('status_code') ||
    /^20[01]$/.test(JSON.stringify(members.get('status_code')).replaceAll('"', ''));
  return (
    (status === 200 || status === 201) &&
    mirrorsSuccess &&
    Array.isArray(errors) &&
    errors.length === 0
  );
}

describe('every answer', () => {
  it('is a success exactly when it is the documented one', () => {
    fc.assert(
      fc.property(httpStatus, envelope, (status, body) => {
        const isRead = readEnvelope(status, body).kind === 'success';
        expect(isRead).toBe(isDocumentedSuccess(status, body));
      }),
      { numRuns: casesOf(3_000) },
    );
  });

  it('that is any JSON at all is sorted without a throw, and never a success by accident', () => {
    fc.assert(
      fc.property(httpStatus, fc.json(), (status, json) => {
        const body: unknown = JSON.parse(json);
        const { kind } = readEnvelope(status, body);
        expect(['success', 'rejected', 'malformed']).toContain(kind);
        expect(kind === 'success' && !isDocumentedSuccess(status, body)).toBe(false);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it('with a well-formed error is rejected with its code, whatever else it says', () => {
    fc.assert(
      fc.property(httpStatus, fc.nat(99_999), fc.jsonValue(), (status, code, payload) => {
        const body = { status_code: status, payload, errors: [{ code, message: '' }] };
        expect(readEnvelope(status, body)).toEqual({ kind: 'rejected', code });
      }),
    );
  });
});

/** Not shown in OTP spec §2: how large the id of B may be. */
describe('the JSON text of an answer', () => {
  it.each([
    ['{"id":9007199254740993}', { id: '9007199254740993' }],
    [
      '{"payload":{"id" : 18446744073709551615 ,"mobile":"1"}}',
      { payload: { id: '18446744073709551615', mobile: '1' } },
    ],
    [
      '{"note":"\\"id\\":9007199254740993,","id":4711}',
      { note: '"id":9007199254740993,', id: 4711 },
    ],
    ['{"id":"9007199254740993"}', { id: '9007199254740993' }],
    ['{"id":900719925474099}', { id: 900_719_925_474_099 }],
    ['{"id":9007199254740993.5}', { id: 9_007_199_254_740_994 }],
    ['{"price":9007199254740993}', { price: 9_007_199_254_740_992 }],
    ['{"price":9007199254740993,"id":"7"}', { price: 9_007_199_254_740_992, id: '7' }],
  ])('keeps every digit of a long id, and changes nothing else: %s', (json, answer) => {
    expect(parseAnswer(json)).toEqual(answer);
  });

  it.each(['', '{', '<html>', '{"id":9007199254740993'])(
    'is no answer when it is not JSON: %j',
    (text) => {
      expect(parseAnswer(text)).toBeUndefined();
    },
  );
});
