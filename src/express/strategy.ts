import type { Request } from 'express';
import type passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { StrategyUsageError } from '../errors';
import type { Authentication, AuthenticationFailure, AuthenticationOptions } from './authenticate';
import { isGiven } from './run';

type Verify = (req: Request, done: () => void) => void;

/** passport-custom's class, typed by hand: its own types fix the name to 'custom' and hide Passport's actions. */
const Base = CustomStrategy as unknown as new (verify: Verify) => {
  name: string;
  authenticate(req: Request, options?: unknown): void;
} & passport.StrategyCreatedStatic;

/** What NestJS and others append: sees the verified user and may answer with another, or none. */
export type StrategyCallback = (user: Express.User, done: StrategyDone) => unknown;
export type StrategyDone = (error: unknown, user?: Express.User | false | null, info?: object) => void;

/** What the strategy is made of. */
export interface StrategyParts {
  readonly strategyName: string;
  readonly authenticate: (req: Request, options: AuthenticationOptions) => Promise<Authentication>;
}

/**
 * The Passport strategy: reads the code from the body and lets the decision judge it. It holds no state of its own;
 * Passport makes a fresh object from it for every request, provided that it is called by its name.
 */
export class OtpStrategy extends Base {
  private readonly parts: StrategyParts;
  private readonly callback: StrategyCallback | undefined;

  constructor(parts: StrategyParts, callback?: StrategyCallback) {
    super(() => undefined);
    this.name = parts.strategyName;
    this.parts = parts;
    this.callback = typeof callback === 'function' ? callback : undefined;
  }

  override authenticate(req: Request, options?: AuthenticationOptions): void {
    // Taken before the first await: on an object that is shared they change under us.
    const actions = {
      success: this.success.bind(this),
      fail: this.fail.bind(this),
      error: this.error.bind(this),
    };
    // Own on the shared object, inherited on the one Passport makes for a request.
    if (Object.hasOwn(this, '_verify')) return actions.error(new StrategyUsageError(this.name));
    this.parts.authenticate(req, options ?? {}).then((answer) => {
      if (answer.kind === 'failure') return this.refuse(actions.fail, answer);
      if (this.callback === undefined) return actions.success(answer.user, answer.info);
      this.confirm(this.callback, answer.user, answer.info, actions);
    }, actions.error);
  }

  private refuse(
    fail: passport.StrategyCreatedStatic['fail'],
    { info, status }: AuthenticationFailure,
  ): void {
    fail(info, status);
  }

  /** Asks the appended function. Its arity is never looked at: NestJS passes rest parameters. */
  private confirm(callback: StrategyCallback, user: Express.User, info: object, actions: Actions): void {
    try {
      const pending = callback(user, (error, confirmed, more) => {
        if (isGiven(error)) return actions.error(error);
        if (confirmed === undefined || confirmed === null || confirmed === false)
          return actions.fail({ message: 'denied' }, 403);
        actions.success(confirmed, more ?? info);
      });
      Promise.resolve(pending).catch(actions.error);
    } catch (error) {
      actions.error(error);
    }
  }
}

type Actions = Pick<passport.StrategyCreatedStatic, 'success' | 'fail' | 'error'>;
