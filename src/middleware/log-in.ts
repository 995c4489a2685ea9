import type { Request } from 'express';
import type { MiddlewareContext } from './context';
import type { PassportOptions } from './options';
import { logIn } from './passport';

/**
 * Has Passport put the user into the session. The success is undone where Passport cannot, such as
 * for a user whom the app does not serialize.
 */
export async function logInOrUndo(
  { slot }: Pick<MiddlewareContext, 'slot'>,
  req: Request,
  user: Express.User,
  options: PassportOptions,
): Promise<void> {
  try {
    await logIn(req, user, options);
  } catch (error) {
    await slot.undo(req);
    throw error;
  }
}
