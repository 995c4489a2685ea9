import type { Request } from 'express';
import type passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { StrategyUsageError } from '../errors';
import type { Authentication, AuthenticationOptions } from './authenticate';

type Verify = (req: Request, done: () => void) => void;

/** passport-custom's class, typed by hand: its own types fix the name to 'custom' and hide Passport's actions. */
const Base = CustomStrategy as unknown as new (verify: Verify) => {
  name: string;
  authenticate(req: Request, options?: unknown): void;
} & passport.StrategyCreatedStatic;

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

  constructor(parts: StrategyParts) {
    super(() => undefined);
    this.name = parts.strategyName;
    this.parts = parts;
  }

  override authenticate(req: Request, options?: AuthenticationOptions): void {
    // Taken before the first await: on an object that is shared they change under us.
    const success = this.success.bind(this);
    const fail = this.fail.bind(this);
    const error = this.error.bind(this);
    // Own on the shared object, inherited on the one Passport makes for a request.
    if (Object.hasOwn(this, '_verify')) return error(new StrategyUsageError(this.name));
    this.parts
      .authenticate(req, options ?? {})
      .then((answer) => {
        if (answer.kind === 'failure') fail(answer.info, answer.status);
        else success(answer.user, answer.info);
      })
      // Also what Passport's actions throw, such as for failureFlash without a flash middleware.
      .catch(error);
  }
}
