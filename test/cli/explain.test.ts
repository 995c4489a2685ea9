import { describe, expect, it } from '@jest/globals';
import { explain } from '../../src/cli/explain';
import { CommandFailure, UsageError } from '../../src/cli/failures';
import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  SessionError,
  StoreError,
} from '../../src/errors';

const foreign = Object.assign(new TypeError('canary'), { code: 'ECONNREFUSED' });

describe('what went wrong', () => {
  it.each([
    [
      'a wrong usage',
      new UsageError('words', 'do this'),
      { message: 'words', advice: 'do this', exitCode: 2 },
    ],
    [
      'a command that failed',
      new CommandFailure('words', 'do this'),
      { message: 'words', advice: 'do this', exitCode: 1 },
    ],
    [
      'a gateway that was not reached',
      new GatewayUnreachableError('balance', false, foreign),
      {
        message: 'The OTP gateway could not be reached (balance): ECONNREFUSED',
        advice: 'Nothing listens there. Look at host and port in SMS_OTP_BASE_URL.',
        exitCode: 1,
      },
    ],
    [
      'a gateway that was not reached, nobody knows why',
      new GatewayUnreachableError('balance', false),
      {
        message: 'The OTP gateway could not be reached (balance)',
        advice:
          'Look at SMS_OTP_BASE_URL, and whether a firewall or a proxy stands between here and the gateway.',
        exitCode: 1,
      },
    ],
    [
      'an answer that did not come in time',
      new GatewayTimeoutError('balance', 10, true),
      {
        message: 'The OTP gateway did not answer within 10 ms (balance)',
        advice:
          'Try again; if it stays so, look at the network between here and the gateway, or raise --timeout.',
        exitCode: 1,
      },
    ],
    [
      'a redirect',
      new GatewayResponseError('balance', 302, 'it is a redirect'),
      {
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
        message: "The OTP gateway's answer is not as documented (balance): it is not JSON",
        advice:
          'Something else than the gateway answers: a proxy, a login page, another server. Look at SMS_OTP_BASE_URL.',
        exitCode: 1,
      },
    ],
    [
      'a call that was refused here',
      new GatewayBusyError('the queue is full', 7),
      {
        message: 'The call to the OTP gateway was refused: the queue is full',
        advice: 'Try again in 7 s.',
        exitCode: 1,
      },
    ],
    [
      'a store that failed',
      new StoreError('clear', foreign),
      {
        message: 'The store failed (clear): ECONNREFUSED',
        advice: "Look whether the server runs and whether the prefix is the app's.",
        exitCode: 1,
      },
    ],
    [
      'an error that no command can mend',
      new SessionError('ERR_NO_SESSION', 'words'),
      { message: 'words', advice: null, exitCode: 1 },
    ],
  ])('is told with what to do: %s', (_title, error, explanation) => {
    expect(explain(error)).toEqual(explanation);
  });

  it('is told by its code where the gateway said no', () => {
    const { message, advice, exitCode } = explain(
      new GatewayRejectedError('lookup', 2004, 'HLR unavailable', 403),
    );
    expect([message, exitCode]).toEqual([
      'The OTP gateway rejected the request (lookup): 2004 HLR unavailable',
      1,
    ]);
    expect(advice).toContain('switch number lookups on');
  });

  it.each([
    [foreign, 'ECONNREFUSED'],
    [new RangeError('canary'), 'RangeError'],
    [Object.assign(new Error('canary'), { name: 'canary', code: 'canary' }), 'Error'],
    ['canary', 'Error'],
    [undefined, 'Error'],
  ])('is told by known words alone where it is foreign: %p', (error, word) => {
    expect(explain(error)).toEqual({
      message: `Something unexpected happened (${word})`,
      advice: 'This is an error of the command itself; please report what you did.',
      exitCode: 1,
    });
  });
});
