import type { Request } from 'express';
import type { MiddlewareContext } from './context';
import type { PassportOptions } from './options';
import { logIn } from './passport';

/**
 * Lets Passport put the user into the session. If Passport cannot, for example because the app does
 * not serialize the user, the success is undone.
 */
export async function logInOrUndo(
  context: Pick<MiddlewareContext, 'slot'>,
  req: Request,
  user: Express.User,
  options: PassportOptions,
): Promise<void> {
  try {
    await logIn(req, user, options);
  } catch (error) {
    await context.slot.undo(req);
    throw error;
  }
}
