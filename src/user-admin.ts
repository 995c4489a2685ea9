import type { CoreAdmin } from './core/admin';
import type { ListedLogin } from './features/logins/logins';
import type { ListedDevice } from './features/trusted-devices/trusted-devices';
import type { UserId } from './stores/store';

/** What an operator may do for a user. */
export interface UserAdmin extends Omit<CoreAdmin, 'exportUser'> {
  /** Returns what is stored about a user, without anything that could log someone in. */
  readonly exportUser: (userId: UserId) => Promise<UserExport>;
}

/** What is stored about a user besides counters. Times are milliseconds since 1970. */
export interface UserExport {
  readonly userId: string;
  /** How many recovery codes are left. */
  readonly recoveryCodes: number;
  readonly trustedDevices: readonly ListedDevice[];
  /** Left out with `logins: false`. */
  readonly logins?: readonly Omit<ListedLogin, 'loginId'>[];
  readonly knownBrowsers: readonly { readonly seenAt: number }[];
}
