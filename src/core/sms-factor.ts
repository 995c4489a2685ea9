import { isAnswerLost, withoutRetryAfter } from '../errors';
import { withoutMarks } from '../limits/typed-digits';
import type { Purpose } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import type { Core } from './context';
import type { SecondFactor, Feature } from './feature';
import { countsAsNumber } from './phones';
import { toCheckTimeout } from './previous-otp';

/**
 * Creates the feature that sends codes by message and lets the gateway check them.
 * @param hasGetPhone Whether the app itself knows the numbers of its users.
 */
export function createSms(core: Core, field: string, hasGetPhone: boolean): Feature {
  const factors = [createSmsFactor(core, field, ['login', 'step-up', 'transaction'])];
  if (!hasGetPhone) return { name: 'sms', factors };

  return {
    name: 'sms',
    factors,
    async has(user) {
      return countsAsNumber(await core.listPhones(user));
    },
  };
}

/** Creates the factor whose codes the gateway made, sent and checks. */
export function createSmsFactor(
  { gateway, listPhones }: Pick<Core, 'gateway' | 'listPhones'>,
  field: string,
  purposes: readonly Purpose[],
): SecondFactor {
  return {
    method: 'sms',
    field,
    amr: 'sms',
    counting: 'guess',
    purposes,
    isSent: true,
    read: readCode,
    reserve: () => gateway.admit('validate'),
    // During an enrollment the number is not the user's yet. If the numbers cannot be read now, the
    // user may have another one than the code was sent to, so the code is not valid.
    isStillValid: async (user, { pending: { purpose }, otp }) => {
      if (purpose === 'enroll') return true;
      const phones = await listPhones(user);
      return !('found' in phones) && phones.some(({ mobile }) => mobile === otp?.mobile);
    },
    check: async ({ otp, code, limitMs }, slot) => {
      // This cannot happen: the decision has refused a login without a message before.
      if (otp === null) return { kind: 'wrong' };
      const { otpId, mobile } = otp;
      try {
        const verdict = gateway.validate({ id: otpId, mobile, pin: code }, slot);
        if (limitMs === undefined) return { kind: await verdict };
        return { kind: await waitAtMost(verdict, limitMs, toCheckTimeout) };
      } catch (error) {
        // The OTP can no longer be used, so a retry after any wait would be useless.
        if (isAnswerLost(error)) return { kind: 'lost', error: withoutRetryAfter(error) };
        throw error;
      }
    },
  };
}

/** Longer input is not a code, even with what autofill and paste may add. */
const MAX_INPUT_LENGTH = 64;

const CODE = /^[0-9]{4,10}$/;

/**
 * Returns the digits of a sent code as typed or pasted. Removes separators and one leading "#", and
 * turns digits of other scripts into ASCII. Keeps leading zeros. Returns null unless 4 to 10 digits
 * are left: the user sees that as an error. Not shown in OTP spec §4: the length of a pin, so 4 to
 * 10 digits are admitted.
 */
export function readCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  // Nearly every code arrives in its plain form.
  if (CODE.test(input)) return input;
  const digits = withoutMarks(input).replace(/^#/, '');
  return CODE.test(digits) ? digits : null;
}
