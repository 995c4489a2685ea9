import { isAnswerLost, withoutRetryAfter } from '../errors';
import { withoutMarks } from '../limits/typed-digits';
import type { Purpose } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import type { Core } from './context';
import type { Factor, Feature } from './feature';
import { toCheckTimeout } from './previous-otp';

/**
 * Sends codes by message, and has the gateway check them.
 * @param hasGetPhone Whether the app itself knows the numbers of its users.
 */
export function createSms(core: Core, field: string, hasGetPhone: boolean): Feature {
  const factors = [createSmsFactor(core, field, ['login', 'step-up', 'transaction'])];
  if (!hasGetPhone) return { name: 'sms', factors };

  return {
    name: 'sms',
    factors,
    async has(user) {
      const phones = await core.listPhones(user);
      // A number that cannot be read now is one that the user has.
      return 'found' in phones || phones.length > 0;
    },
  };
}

/** The gateway checks the codes that it has made and sent. */
export function createSmsFactor(
  { gateway, listPhones }: Pick<Core, 'gateway' | 'listPhones'>,
  field: string,
  purposes: readonly Purpose[],
): Factor {
  return {
    method: 'sms',
    field,
    amr: 'sms',
    counting: 'guess',
    purposes,
    isSent: true,
    read: readCode,
    reserve: () => gateway.admit('validate'),
    // The number of an enrollment is not the user's yet. A number that cannot be read now may be
    // another one than the code went to.
    isStillValid: async (user, { pending: { purpose }, otp }) => {
      if (purpose === 'enroll') return true;
      const phones = await listPhones(user);
      return !('found' in phones) && phones.some(({ mobile }) => mobile === otp?.mobile);
    },
    check: async ({ otp, code, limitMs }, slot) => {
      // No code is right for a login without a message: the decision has refused it before.
      if (otp === null) return { kind: 'wrong' };
      const { otpId, mobile } = otp;
      try {
        const verdict = gateway.validate({ id: otpId, mobile, pin: code }, slot);
        if (limitMs === undefined) return { kind: await verdict };
        return { kind: await waitAtMost(verdict, limitMs, toCheckTimeout) };
      } catch (error) {
        // The OTP is over: however long the client waits, there is nothing to try again.
        if (isAnswerLost(error)) return { kind: 'lost', error: withoutRetryAfter(error) };
        throw error;
      }
    },
  };
}

/** Longer input is not a code of a message, whatever autofill and paste bring along. */
const MAX_INPUT_LENGTH = 64;

const CODE = /^[0-9]{4,10}$/;

/**
 * Returns the digits of a sent code as typed or pasted, or null: 4 to 10 of them once separators
 * and one leading "#" are removed and digits of other scripts have become ASCII. Leading zeros
 * stay. Anything else is an error that the user sees. Not shown in OTP spec §4: the length of a
 * pin, so 4 to 10 digits are admitted.
 */
export function readCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  // Nearly every code comes as it is.
  if (CODE.test(input)) return input;
  const digits = withoutMarks(input).replace(/^#/, '');
  return CODE.test(digits) ? digits : null;
}
