import type { Core } from '../../core/context';
import { guardGateway } from '../../core/guarded-gateway';
import type { SentFactor, UserAddresses } from '../../core/feature';
import { createSentFactor } from '../../core/sms-factor';
import { toUserIdText } from '../../core/users';
import type { LoginGateway } from '../../gateway';
import { isPhoneNumber, toE164 } from '../../limits/number-country';
import type { DeliveredFactor, Factor } from './factors';

/** Returns whether a factor sends its codes. The options have been checked. */
export function isDelivered(factor: Factor): factor is DeliveredFactor {
  return (factor as Partial<DeliveredFactor>).gateway !== undefined;
}

/** Creates a factor that sends its codes through a gateway of its own. */
export function createDeliveredFactor(
  core: Core,
  factor: DeliveredFactor,
  codeField: string,
): SentFactor {
  const { name, amr = name } = factor;
  return createSentFactor({
    method: name,
    amr,
    field: codeField,
    purposes: ['login', 'step-up'],
    delivery: {
      gateway: withOwnIds(guardGateway(factor.gateway), name),
      listAddresses: (user) => listAddresses(core, factor, user),
      warnOfError(user, cause) {
        const { userId } = toUserIdText(core.getUserId(user));
        core.emit({ type: 'factor-failing', userId, factor: name });
        warnOfAddress(core, factor, `has thrown (${cause})`, `error ${cause}`);
      },
    },
  });
}

/** Puts the factor's name before the ids of its OTPs, so that no other gateway has the same ids. */
function withOwnIds(gateway: LoginGateway, name: string): LoginGateway {
  const prefix = `${name}:`;
  return {
    ...gateway,
    async generate(text, permit) {
      const generated = await gateway.generate(text, permit);
      return { ...generated, id: prefix + generated.id };
    },
    validate: (typed, permit) =>
      gateway.validate({ ...typed, id: typed.id.slice(prefix.length) }, permit),
  };
}

/** Lists the address of a user. Rejects with what a callback of the app throws. */
export async function listAddresses(
  core: Core,
  factor: DeliveredFactor,
  user: Express.User,
): Promise<UserAddresses> {
  const isAvailable: unknown =
    factor.isAvailable === undefined ? true : await factor.isAvailable(user);
  if (isAvailable !== true) return [];
  const address: unknown = await factor.getAddress(user);
  if (address === null) return [];
  if (isAddress(address)) {
    const to = isPhoneNumber(address) ? await toE164(core.readNumber, address) : address;
    return [{ to, isConfirmed: false }];
  }

  const found = describeUnusable(address);
  warnOfAddress(core, factor, `returned ${FOUND[found]}`, found);
  return { found };
}

/** The most characters of an address: those of the longest email address. */
const MAX_ADDRESS_LENGTH = 320;

function isAddress(given: unknown): given is string {
  if (typeof given !== 'string' || given === '' || given.length > MAX_ADDRESS_LENGTH) return false;
  return given.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(given);
}

function describeUnusable(address: unknown): keyof typeof FOUND {
  if (address === undefined) return 'undefined';
  return address === '' ? 'empty' : 'invalid';
}

const FOUND = {
  undefined: 'undefined',
  empty: 'an empty string',
  invalid: 'neither null nor 1 to 320 characters without control characters',
} as const;

function warnOfAddress(
  { warn }: Pick<Core, 'warn'>,
  { name }: DeliveredFactor,
  problem: string,
  cause: string,
): void {
  warn(
    'SMS_OTP_UNUSABLE_ADDRESS',
    `getAddress of the factor ${name} ${problem} for a user. No code can go there, and the user ` +
      'still counts as one who has the factor. Return null for a user who has no address',
    `${name} ${cause}`,
  );
}
