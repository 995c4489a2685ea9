import { describe, expect, it } from '@jest/globals';
import {
  adviseOnCause,
  adviseOnCode,
  CommandFailure,
  explain,
  WrongUsage,
  withUsageErrors,
} from '../../src/cli/failures';
import {
  GatewayAbortedError,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  SessionError,
  StoreError,
} from '../../src/errors';

const foreign = Object.assign(new TypeError('canary'), { code: 'ECONNREFUSED' });

describe('the explanation of an error', () => {
  it.each([
    [
      'a wrong usage',
      new WrongUsage('words', 'do this'),
      { code: 'ERR_WRONG_USAGE', message: 'words', advice: 'do this', exitCode: 2 },
    ],
    [
      'a command that failed',
      new CommandFailure('words', 'do this'),
      { code: 'ERR_COMMAND_FAILED', message: 'words', advice: 'do this', exitCode: 1 },
    ],
    [
      'a gateway that was not reached',
      new GatewayUnreachableError('balance', false, foreign),
      {
        code: 'ERR_GATEWAY_UNREACHABLE',
        message: 'The OTP gateway could not be reached (balance): ECONNREFUSED',
        advice: 'Nothing listens there. Check host and port in SMS_OTP_BASE_URL.',
        exitCode: 1,
      },
    ],
    [
      'a gateway that was not reached for an unknown reason',
      new GatewayUnreachableError('balance', false),
      {
        code: 'ERR_GATEWAY_UNREACHABLE',
        message: 'The OTP gateway could not be reached (balance)',
        advice:
          'Check SMS_OTP_BASE_URL, and whether a firewall or a proxy blocks the way to the gateway.',
        exitCode: 1,
      },
    ],
    [
      'an answer that did not come in time',
      new GatewayTimeoutError('balance', 10, true),
      {
        code: 'ERR_GATEWAY_TIMEOUT',
        message: 'The OTP gateway did not answer within 10 ms (balance)',
        advice:
          'Try again; if it persists, check the network between here and the gateway, or raise --timeout.',
        exitCode: 1,
      },
    ],
    [
      'a redirect',
      new GatewayResponseError('balance', 302, 'it is a redirect'),
      {
        code: 'ERR_GATEWAY_RESPONSE',
        message: "The OTP gateway's answer is not as documented (balance): it is a redirect",
        advice:
          'Set SMS_OTP_BASE_URL to the address it redirects to; redirects are never followed with credentials.',
        exitCode: 1,
      },
    ],
    [
      'an answer of somebody else',
      new GatewayResponseError('balance', 200, 'it is not JSON'),
      {
        code: 'ERR_GATEWAY_RESPONSE',
        message: "The OTP gateway's answer is not as documented (balance): it is not JSON",
        advice:
          'Something other than the gateway answers: a proxy, a login page, another server. Check SMS_OTP_BASE_URL.',
        exitCode: 1,
      },
    ],
    [
      'a call that its caller has ended',
      new GatewayAbortedError('balance', true),
      {
        code: 'ERR_GATEWAY_ABORTED',
        message: 'The call to the OTP gateway was aborted by its signal (balance)',
        advice: null,
        exitCode: 1,
      },
    ],
    [
      'a call that was refused here',
      new GatewayBusyError('the queue is full', 7),
      {
        code: 'ERR_GATEWAY_BUSY',
        message: 'The call to the OTP gateway was refused: the queue is full',
        advice: 'Try again in 7 s.',
        exitCode: 1,
      },
    ],
    [
      'a store that failed',
      new StoreError('clear', foreign),
      {
        code: 'ERR_STORE',
        message: 'The store failed (clear): ECONNREFUSED',
        advice: "Check that the server is running and that --prefix matches the app's.",
        exitCode: 1,
      },
    ],
    [
      'an error that no command can fix',
      new SessionError('ERR_NO_SESSION', 'words'),
      {
        code: 'ERR_NO_SESSION',
        message: expect.stringMatching(/^words \(see docs/),
        advice: null,
        exitCode: 1,
      },
    ],
  ])('says what to do about %s', (_title, error, explanation) => {
    expect(explain(error)).toEqual(explanation);
  });

  it('names the code of a gateway that rejected the request', () => {
    const { code, gatewayCode, message, advice, exitCode } = explain(
      new GatewayRejectedError('lookup', {
        gatewayCode: 2004,
        gatewayName: 'HLR unavailable',
        httpStatus: 403,
      }),
    );
    expect([code, gatewayCode]).toEqual(['ERR_GATEWAY_REJECTED', 2004]);
    expect([message, exitCode]).toEqual([
      'The OTP gateway rejected the request (lookup): 2004 HLR unavailable',
      1,
    ]);
    expect(advice).toContain('enable number lookups');
  });

  it.each([
    [foreign, 'ECONNREFUSED'],
    [new RangeError('canary'), 'RangeError'],
    [Object.assign(new Error('canary'), { name: 'canary', code: 'canary' }), 'Error'],
    ['canary', 'Error'],
    [undefined, 'Error'],
  ])('repeats only allow-listed words of a third-party error: %p', (error, word) => {
    expect(explain(error)).toEqual({
      code: 'ERR_UNEXPECTED',
      message: `Unexpected error (${word})`,
      advice: 'This is a bug of the command. Please report it and what you did.',
      exitCode: 1,
    });
  });

  it.each([2103, 2110])(
    'names SMS_OTP_NUMBERS_AS for %i, which a gateway also answers to numbers of the wrong type',
    (code) => {
      expect(adviseOnCode(code)).toContain('SMS_OTP_NUMBERS_AS');
    },
  );

  it.each([2100, 2121])(
    'names the OTP service for %i, the answer to an account without permission',
    (code) => {
      expect(adviseOnCode(code)).toContain('the OTP service');
    },
  );
});

it.each([
  ['ENOTFOUND', 'The host name cannot be resolved'],
  ['EAI_AGAIN', 'The host name cannot be resolved'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another name'],
  ['CERT_HAS_EXPIRED', 'The certificate has expired'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'The server does not speak TLS'],
  ['EPROTO', 'The server does not speak TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', '--ca <file>'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', '--ca <file>'],
  ['EHOSTUNREACH', 'firewall'],
  [null, 'firewall'],
])('the advice for %s says "%s"', (code, words) => {
  expect(adviseOnCause(code)).toContain(words);
});

describe('a call with input of the command line', () => {
  it('that throws a TypeError is a wrong usage with its words', async () => {
    const failing = withUsageErrors(() =>
      Promise.reject(new TypeError('mobile must have a country code')),
    );
    await expect(failing).rejects.toEqual(new WrongUsage('mobile must have a country code'));
    await expect(failing).rejects.toBeInstanceOf(WrongUsage);
    await expect(failing).rejects.toHaveProperty('name', 'WrongUsage');
  });

  it('that throws anything else, or nothing, ends as it did', async () => {
    const error = new StoreError('clear');
    await expect(withUsageErrors(() => Promise.reject(error))).rejects.toBe(error);
    expect(await withUsageErrors(() => 7)).toBe(7);
  });
});
