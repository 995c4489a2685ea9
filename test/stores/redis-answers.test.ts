import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { StoreError } from '../../src/errors';
import type { SmsOtpStore } from '../../src/stores/store';
import { redisStore } from 'passport-sms-otp/redis';
import { casesOf } from '../support/complete-run';
import { everyRecordCall } from './every-call';
import { verdictsOn } from './verdicts';

const word = fc.constantFrom('a', 'passed', '', null, undefined, false, true);
const number = fc.constantFrom(-1, 0, 1, 1.5, '0', '1', '05', '-1', null);
const entry = fc.constantFrom(
  '1:0:1:3:tagvalue',
  '1:0:-1.5e+30:0:',
  '1:0:1:9:tag',
  '1:0:e:3:tag',
  '2:0:1:3:tag',
);
const value = fc.oneof(number, word, entry, fc.anything());
/** What a server, a proxy or a client library between may answer: near to what is right, or not. */
const reply = fc.oneof(
  value,
  entry,
  fc.tuple(fc.constantFrom('a', null), entry),
  fc.tuple(word, word, number, word, word),
  fc.tuple(number, word, word, word, number, word, word),
  fc.array(fc.array(word, { maxLength: 2 }), { maxLength: 2 }),
  fc.array(value, { maxLength: 6 }),
);

describe.each([
  ['node-redis', (answer: Answer) => ({ evalSha: answer, eval: answer })],
  ['ioredis', (answer: Answer) => ({ status: 'ready', evalsha: answer, eval: answer })],
])('redisStore with %s', (_library, makeClient) => {
  const makeStore = (answer: unknown): SmsOtpStore =>
    redisStore(
      makeClient(() => Promise.resolve(answer)),
      { onWarning: () => undefined },
    );

  it('returns what the contract says of every part, or refuses, whatever is answered', async () => {
    const property = fc.asyncProperty(reply, async (answer) => {
      const verdicts = await Promise.all(verdictsOn(makeStore(answer)));
      return verdicts.every((isGood) => isGood);
    });
    const { failed, counterexample } = await fc.check(property, {
      numRuns: casesOf(1_000),
      // An attempt whose number is none.
      examples: [[['0', 'a', '1', 'a', '1']]],
    });
    expect(failed ? counterexample : null).toBeNull();
  });

  it('refuses every call that is answered with an object', async () => {
    const calls = everyRecordCall(makeStore({})).map((call) =>
      call().catch((error: unknown) => error),
    );
    const outcomes = await Promise.all(calls);
    // Only the one that returns nothing reads no answer.
    expect(outcomes.filter((outcome) => !(outcome instanceof StoreError))).toEqual([undefined]);
  });
});

type Answer = () => Promise<unknown>;
