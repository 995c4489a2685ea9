import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  GatewayResponseError,
  GatewayUnreachableError,
  mayHaveArrived,
  SessionError,
  StoreError,
  toGatewayError,
} from '../src/errors';
import { readField, toSafeCause, toStoreCause } from '../src/foreign-error';
import { casesOf } from './support/complete-run';
import { UNREADABLE } from './support/unreadable';

/** As `pg` and `postgres` throw it. */
const ofPostgres = (code: string): object => ({ severity: 'ERROR', code, routine: 'exec_stmt' });

describe('the code of a foreign error', () => {
  it.each([
    ...['ECONNREFUSED', 'EAI_AGAIN', 'EMFILE', 'ENOENT', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT'],
    ...['E2BIG', 'ERR_ACCESS_DENIED', 'ERR_HTTP2_STREAM_ERROR', 'ERR_SSL_TLSV13_ALERT_UNKNOWN_CA'],
    ...['ERR_OSSL_EVP_UNSUPPORTED', 'UND_ERR_CONNECT_TIMEOUT', 'HPE_INVALID_CONSTANT'],
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ...['SQLITE_BUSY', 'ER_LOCK_WAIT_TIMEOUT'],
  ])('is %s', (code) => {
    expect(toSafeCause({ code })).toEqual({ name: 'Error', code });
  });

  it.each(['57014', '42501', '53300', '42P01', '25006', 'P0001', 'XX000'])(
    'is the SQLSTATE %s of PostgreSQL, and of nothing else',
    (code) => {
      expect(toSafeCause(ofPostgres(code)).code).toBe(code);
      expect(toSafeCause({ code }).code).toBeNull();
    },
  );

  it.each([
    ["READONLY You can't write against a read only replica.", 'READONLY'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM'],
    ["NOPERM this user has no permissions to run the 'evalsha' command", 'NOPERM'],
    ['NOAUTH Authentication required.', 'NOAUTH'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'WRONGPASS'],
    ['LOADING Redis is loading the dataset in memory', 'LOADING'],
    ['MISCONF Redis is configured to save RDB snapshots', 'MISCONF'],
    ['CLUSTERDOWN Hash slot not served', 'CLUSTERDOWN'],
    ["ERR The user executing the script can't run this command or subcommand", 'NOPERM'],
    ['ERR max number of clients reached', 'ERR'],
    // Redis 6 puts a reply that ended a script behind words of its own.
    ['ERR Error running script (call to f_ab): @user_script:1: -READONLY You cannot', 'READONLY'],
    ['ERR Error running script (call to f_ab): @user_script:1: @user_script: 1: -OOM no', 'OOM'],
  ])('is the first word of the Redis reply %s, where a store has failed', (message, code) => {
    expect(toStoreCause(new Error(message))).toEqual({ name: 'Error', code });
    expect(toSafeCause(new Error(message)).code).toBeNull();
  });

  it.each(['Socket closed unexpectedly', 'READONLY', 'readonly You', 'R you', 'OTP123 is wrong'])(
    'is none where the message is %p',
    (message) => {
      expect(toStoreCause(new Error(message)).code).toBeNull();
    },
  );

  it('is that of its cause, as with fetch', () => {
    const failed = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    expect(toSafeCause(failed)).toEqual({ name: 'TypeError', code: 'ECONNREFUSED' });
  });
});

describe('where an error is named', () => {
  const readonly = new Error("READONLY You can't write against a read only replica.");

  it('a store has the code in its message and its cause', () => {
    const error = new StoreError('charge', readonly);
    expect(error).toMatchObject({
      message: 'The store failed (charge): READONLY',
      cause: { name: 'Error', code: 'READONLY' },
      problem: 'READONLY',
    });
  });

  it('our own words for what a store did are its problem', () => {
    expect(new StoreError('charge: no answer in time').problem).toBe('no answer in time');
    expect(new StoreError('charge', new Error('x')).problem).toBeNull();
  });

  it('a session has the code in its message and its cause', () => {
    const error = new SessionError('ERR_SESSION_STORE', 'The session could not be saved', readonly);
    expect(error).toMatchObject({
      message: 'The session could not be saved: READONLY',
      cause: { name: 'Error', code: 'READONLY' },
    });
  });
});

describe('whether a store has surely changed nothing', () => {
  const connection = { ...ofPostgres('08006'), severity: 'FATAL' };
  it.each<[string, StoreError, boolean]>([
    [
      'a Redis that says READONLY',
      new StoreError('finish', new Error('READONLY You cannot')),
      true,
    ],
    ['a statement that was cancelled', new StoreError('finish', ofPostgres('57014')), true],
    ['a record that is malformed', new StoreError('finish: malformed record'), true],
    ['a client that is not connected', new StoreError('finish: it is not connected'), true],
    ['no answer', new StoreError('finish: no answer in time'), false],
    ['an answer that is none', new StoreError('finish: unknown answer'), false],
    ['a connection that broke', new StoreError('finish', { code: 'ECONNRESET' }), false],
    ['one that PostgreSQL has closed', new StoreError('finish', connection), false],
    ['a store that says nothing', new StoreError('finish', new Error('x')), false],
    ['an error that cannot be read', new StoreError('finish', UNREADABLE[0]?.[1]), false],
  ])('%s: %#', (_what, { hasRefused }, expected) => {
    expect(hasRefused).toBe(expected);
  });
});

/** Secrets of every form that this package, its users and its servers have. */
const hex = fc.stringMatching(/^[0-9A-F]{32}$/);
const secret = fc.oneof(
  fc.stringMatching(/^\d{4,10}$/),
  fc.stringMatching(/^\+\d{8,15}$/),
  fc.stringMatching(/^[A-Z2-7]{16,32}$/),
  fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{24}$/),
  fc.stringMatching(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/),
  fc.stringMatching(/^[\w-]{43}$/),
  fc.stringMatching(/^[\w-]{20,30}\.[\w-]{20,30}\.[\w-]{20,30}$/),
  fc.uuid(),
  hex,
  hex.map((text) => `E${text}`),
);

/** The places of a foreign error in which a secret may be, alone or with words around it. */
function makeErrors(text: string): readonly unknown[] {
  const around = [`${text} is wrong`, `ERR ${text}`, `EPIPE ${text}`, `E_${text}`, `OTP ${text}`];
  const made = [text, ...around].flatMap((words) => [
    new Error(words),
    Object.assign(new Error('x'), { code: words }),
    Object.assign(new Error('x'), { name: words }),
    new Error('x', { cause: Object.assign(new Error(words), { code: words, name: words }) }),
    { severity: words, code: words, message: words },
  ]);
  return [...made, { code: Number(text) }, text];
}

describe('a secret in a foreign error', () => {
  it('is in nothing that is made of it, wherever it was', () => {
    const property = fc.property(secret, (text) => {
      for (const error of makeErrors(text)) {
        const made = [
          new StoreError('charge', error),
          new SessionError('ERR_SESSION_STORE', 'words', error),
          new GatewayUnreachableError('generate', false, error),
          toGatewayError('generate', error),
        ];
        for (const one of made) {
          const told = JSON.stringify([one.message, one.cause, String(one)]);
          expect(told).not.toContain(text);
        }
      }
    });
    fc.assert(property, { numRuns: casesOf(500) });
  });

  it('does not pass as the code of PostgreSQL either: a code is no SQLSTATE', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{4}$|^\d{6,10}$/), (code) => {
        expect(toSafeCause(ofPostgres(code)).code).toBeNull();
      }),
    );
    // Five digits are one where PostgreSQL has sent it, and a code of ours anywhere else.
    for (const severity of [3, '', 'ERROR 3', undefined])
      expect(toSafeCause({ code: '57014', severity }).code).toBeNull();
  });
});

describe.each(UNREADABLE)('an error that throws when it is read: %s', (_what, error) => {
  it('is an error of which nothing is known', () => {
    expect(readField(error, 'code')).toBeUndefined();
    expect(toStoreCause(error)).toEqual({ name: 'Error', code: null });
    expect(new StoreError('charge', error).message).toBe('The store failed (charge)');
    expect(mayHaveArrived(error)).toBe(true);
    expect(toGatewayError('generate', error)).toBeInstanceOf(GatewayResponseError);
  });
});
