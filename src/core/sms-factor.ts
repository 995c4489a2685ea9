import { isAnswerLost, withoutRetryAfter } from '../errors';
import { withoutMarks } from '../limits/typed-digits';
import type { Purpose } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import { MESSAGE } from './addresses';
import type { Core } from './context';
import type { Feature, SentFactor } from './feature';
import { countsAsAddress, warnOfPhones } from './phones';
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
      return countsAsAddress(await core.listPhones(user));
    },
  };
}

/** Creates the factor that sends codes by text message. */
export function createSmsFactor(
  core: Pick<Core, 'gateway' | 'listPhones' | 'warn'>,
  field: string,
  purposes: readonly Purpose[],
): SentFactor {
  return createSentFactor({
    method: MESSAGE,
    amr: MESSAGE,
    field,
    purposes,
    delivery: {
      gateway: core.gateway,
      async listAddresses(user) {
        const phones = await core.listPhones(user);
        if ('found' in phones) return phones;
        return phones.map(({ mobile: to, isConfirmed }) => ({ to, isConfirmed }));
      },
      warnOfError: (_user, cause) => warnOfPhones(core, cause),
    },
  });
}

/** Creates a factor whose codes its gateway makes, sends and checks. */
export function createSentFactor(
  described: Pick<SentFactor, 'method' | 'amr' | 'field' | 'purposes' | 'delivery'>,
): SentFactor {
  const { gateway, listAddresses } = described.delivery;
  return {
    ...described,
    counting: 'guess',
    read: readCode,
    reserve: () => gateway.admit('validate'),
    // During an enrollment the number is not the user's yet. If the addresses cannot be read now,
    // the user may have another one than the code was sent to, so the code is not valid.
    isStillValid: async (user, { pending: { purpose }, otp }) => {
      if (purpose === 'enroll') return true;
      const listed = await listAddresses(user);
      return !('found' in listed) && listed.some(({ to }) => to === otp?.to);
    },
    check: async ({ otp, code, limitMs }, slot) => {
      // This cannot happen: the decision has refused a login without a message before.
      if (otp === null) return { kind: 'wrong' };
      const { otpId: id, to } = otp;
      try {
        const verdict = gateway.validate({ id, to, pin: code }, slot);
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
