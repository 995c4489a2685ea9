import { describe, expect, it } from '@jest/globals';
import type { Core } from '../../src/core/context';
import { createChangeAndEnd } from '../../src/core/end-others';
import type { Feature, Success } from '../../src/core/feature';
import { findLetIn } from '../../src/core/let-in';
import type { SendRequest } from '../../src/core/send-result';
import { createBeginPending, type NewPending } from '../../src/core/pending';
import { askFeatures } from '../../src/core/success';
import { createUserFactors } from '../../src/core/user-factors';
import type { Visit } from '../../src/core/visit';

const ACCIDENT = new Error('the feature has failed');
const user = { id: 'alice' } as Express.User;
const visit = { isRequired: () => Promise.resolve(true) } as unknown as Visit;

/** A core that has these features and what their calls need besides. */
function coreWith(...features: readonly Feature[]): Core & { readonly warned: string[] } {
  const pendingLogins = { endAll: () => Promise.resolve() };
  const parts = { features, store: { pendingLogins }, now: Date.now, getUserId: () => 'alice' };
  const warned: string[] = [];
  const warn = (code: string, problem: string): unknown => warned.push(`${code}: ${problem}`);
  return { ...parts, warn, warned } as unknown as ReturnType<typeof coreWith>;
}

/** A call that answers only after others have had their turn. */
async function slowly<Answer>(answer: Answer): Promise<Answer> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return answer;
}

/** Notes which of its features is called, and calls it. */
function noting(calls: string[], name: string, feature: Partial<Feature>): Feature {
  const noted = Object.entries(feature).map(([call, work]) => [
    call,
    typeof work === 'function'
      ? (...given: unknown[]): unknown => {
          calls.push(`${name}.${call}`);
          return (work as (...all: unknown[]) => unknown)(...given);
        }
      : work,
  ]);
  return { name, ...(Object.fromEntries(noted) as Partial<Feature>) };
}

describe('the calls of features', () => {
  const success = { user, userId: 'alice' } as Success;
  const begun = { state: { pending: { pendingId: 'p' } } } as Parameters<typeof findLetIn>[2];
  const request = { user, visit } as SendRequest;

  describe('onSuccess', () => {
    it('asks one after the other, however slow they are, and joins what they answer', async () => {
      const calls: string[] = [];
      const one = noting(calls, 'one', { onSuccess: () => slowly({ kept: { login: 1 } }) });
      const two = noting(calls, 'two', { onSuccess: () => slowly({ tells: { isNew: true } }) });
      const joined = await askFeatures(coreWith(one, { name: 'silent' }, two), success, visit);
      expect(joined).toMatchObject({ kept: { login: 1 }, tells: { isNew: true }, puts: [] });
      expect(calls).toEqual(['one.onSuccess', 'two.onSuccess']);
    });

    it.each(['kept', 'tells'])(
      'is an error if two features answer with one field in %s',
      async (part) => {
        const one: Feature = { name: 'one', onSuccess: () => ({ [part]: { field: 1 } }) };
        const two: Feature = { name: 'two', onSuccess: () => ({ [part]: { field: 2 } }) };
        await expect(askFeatures(coreWith(one, two), success, visit)).rejects.toThrow(
          new TypeError('two features add field'),
        );
      },
    );

    it('stops at the first refusal', async () => {
      const calls: string[] = [];
      const one = noting(calls, 'one', {
        onSuccess: () => Promise.resolve({ reason: 'login-ended' }),
      });
      const two = noting(calls, 'two', { onSuccess: () => null });
      await expect(askFeatures(coreWith(one, two), success, visit)).resolves.toEqual({
        reason: 'login-ended',
      });
      expect(calls).toEqual(['one.onSuccess']);
    });

    it('passes on what a feature throws', async () => {
      const one: Feature = { name: 'one', onSuccess: () => Promise.reject(ACCIDENT) };
      await expect(askFeatures(coreWith(one), success, visit)).rejects.toBe(ACCIDENT);
    });

    it('calls done of all, whatever one of them throws, and reports it without its message', async () => {
      const calls: string[] = [];
      const fails = (): never => {
        calls.push('fails');
        throw ACCIDENT;
      };
      const one: Feature = { name: 'one', onSuccess: () => ({ done: fails }) };
      const two: Feature = { name: 'two', onSuccess: () => ({ done: () => calls.push('two') }) };
      const core = coreWith(one, two);
      const joined = await askFeatures(core, success, visit);
      if ('reason' in joined) throw new Error(joined.reason);
      await joined.tellDone();
      expect(calls).toEqual(['fails', 'two']);
      expect(core.warned).toEqual([
        expect.stringMatching(/^SMS_OTP_FOLLOW_UP: .*has failed \(Error\): a cookie/),
      ]);
    });
  });

  describe('begins', () => {
    const asked = { user, visit, purpose: 'login' } as unknown as NewPending;

    /** Begins a pending login, and returns the bucket under which it was stored. */
    async function begin(...features: readonly Feature[]): Promise<readonly unknown[]> {
      const stored: unknown[] = [];
      const pendingLogins = {
        begin: ({ pending }: { readonly pending: { readonly bucket: string } }) => {
          stored.push(pending.bucket);
          return Promise.resolve({ outcome: 'begun' });
        },
      };
      const core = {
        ...coreWith(...features),
        store: { pendingLogins },
        createDigests: () => [],
        settings: { pendingLoginSeconds: 600 },
        randomId: () => 'p',
      } as unknown as Core;
      await createBeginPending(core)(asked).catch((error: unknown) => stored.push(error));
      return stored;
    }

    it('the first feature that knows the browser decides, otherwise it is one of the others', async () => {
      const one: Feature = { name: 'one', begins: () => slowly(null) };
      const two: Feature = { name: 'two', begins: () => slowly({ bucket: 'known.1' }) };
      const three: Feature = { name: 'three', begins: () => slowly({ bucket: 'known.2' }) };
      await expect(begin(one, two, three)).resolves.toEqual(['known.1']);
      await expect(begin(one)).resolves.toEqual(['others']);
    });

    it('nothing begins where a feature throws', async () => {
      const one: Feature = { name: 'one', begins: () => Promise.reject(ACCIDENT) };
      await expect(begin(one)).resolves.toEqual([ACCIDENT]);
    });
  });

  describe('letsIn', () => {
    it('takes the first that lets in, and asks no other', async () => {
      const calls: string[] = [];
      const letIn = { user, proof: 'device', at: 1, puts: [] };
      const one = noting(calls, 'one', { letsIn: () => slowly(null) });
      const two = noting(calls, 'two', { letsIn: () => slowly(letIn) });
      const three = noting(calls, 'three', { letsIn: () => Promise.resolve(letIn) });
      const found = await findLetIn(coreWith(one, two, three), request, begun);
      expect(found).toMatchObject({ kind: 'let-in', proof: 'device' });
      expect(calls).toEqual(['one.letsIn', 'two.letsIn']);
    });

    it('asks none about a user who needs no second factor', async () => {
      const calls: string[] = [];
      const one = noting(calls, 'one', { letsIn: () => Promise.reject(ACCIDENT) });
      const free = { isRequired: () => Promise.resolve(false) } as unknown as Visit;
      const found = await findLetIn(coreWith(one), { ...request, visit: free }, begun);
      expect([found?.proof, calls]).toEqual([null, []]);
    });

    it('passes on what a feature throws', async () => {
      const one: Feature = { name: 'one', letsIn: () => Promise.reject(ACCIDENT) };
      await expect(findLetIn(coreWith(one), request, begun)).rejects.toBe(ACCIDENT);
    });
  });

  describe('endAll', () => {
    it('asks every feature even if one fails, those with sessions last, and fails then', async () => {
      const calls: string[] = [];
      const sessions = {} as NonNullable<Feature['sessions']>;
      const logins = noting(calls, 'logins', { sessions, endAll: () => slowly(0) });
      const one = noting(calls, 'one', { endAll: () => Promise.reject(ACCIDENT) });
      const two = noting(calls, 'two', { endAll: () => slowly(0) });
      const changeAndEnd = createChangeAndEnd(coreWith(logins, one, two));
      const change = (): Promise<void> => Promise.resolve(void calls.push('change'));
      await expect(changeAndEnd('alice', 'changed', {}, change)).rejects.toBe(ACCIDENT);
      expect(calls).toEqual(['change', 'one.endAll', 'two.endAll', 'logins.endAll']);
    });
  });

  describe('has and offers', () => {
    it('a user of whom one feature cannot say counts as one who can pass', async () => {
      const one: Feature = { name: 'one', has: () => Promise.reject(ACCIDENT) };
      const { hasNoFactor, canPassSecondFactor } = createUserFactors(coreWith(one));
      await expect(canPassSecondFactor(user)).rejects.toBe(ACCIDENT);
      await expect(hasNoFactor('alice', () => user)).resolves.toBe(false);
    });

    it('asks no further once a feature has something', async () => {
      const calls: string[] = [];
      const one = noting(calls, 'one', { has: () => slowly(true) });
      const two = noting(calls, 'two', { has: () => Promise.reject(ACCIDENT) });
      const { canPassSecondFactor } = createUserFactors(coreWith(one, two));
      await expect(canPassSecondFactor(user)).resolves.toBe(true);
      expect(calls).toEqual(['one.has']);
    });

    it('lists what the features offer, in their order', async () => {
      const one: Feature = { name: 'one', offers: () => slowly(['totp']) };
      const two: Feature = { name: 'two', offers: () => slowly(['recovery']) };
      const { listFactors } = createUserFactors(coreWith(one, two));
      await expect(listFactors(user, 'alice')).resolves.toEqual(['totp', 'recovery']);
    });
  });
});
