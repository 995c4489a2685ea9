import type { TrustedDevicesOption } from '../factors/factor-options';
import type { KeyedDigest } from '../factors/keyed-digest';
import type { LoginParts } from './login-parts';

/** What a device's trust hangs on, as a keyed digest: the password, and all confirmed numbers in no order. */
export type BindDevice = (user: Express.User, userId: string) => Promise<string>;

export function createDeviceBinding(
  { listPhones }: Pick<LoginParts, 'listPhones'>,
  { getPasswordVersion }: Pick<TrustedDevicesOption, 'getPasswordVersion'>,
  digest: KeyedDigest,
): BindDevice {
  return async (user, userId) => {
    const version: unknown = await getPasswordVersion(user);
    // A version that is always missing would never change, and the devices outlive every password.
    if (typeof version !== 'string' || version === '') {
      throw new TypeError('getPasswordVersion must give a text that is not empty');
    }
    const mobiles = await listPhones(user);
    return digest('device-binding', userId, version, ...mobiles.toSorted());
  };
}
