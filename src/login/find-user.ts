import type { Challenge } from '../stores/store';
import type { LoginParts } from './login-parts';
import { fromUserIdText, toUserIdText } from './user-id';

/**
 * The user a challenge belongs to, or null: gone or disabled (`loadUser` gives nothing), or another one than the
 * challenge names. A login loads the user; every other purpose demands that it is the logged-in one.
 * What `loadUser` throws goes on to the app.
 */
export async function findUser(
  parts: LoginParts,
  challenge: Pick<Challenge, 'purpose' | 'userId' | 'userIdType'>,
  currentUser: Express.User | undefined,
): Promise<Express.User | null> {
  const user = challenge.purpose === 'login' ? await parts.loadUser(fromUserIdText(challenge)) : currentUser;
  if (!isUser(user)) return null;
  return toUserIdText(parts.getUserId(user)).userId === challenge.userId ? user : null;
}

function isUser(value: unknown): value is Express.User {
  return typeof value === 'object' && value !== null;
}
