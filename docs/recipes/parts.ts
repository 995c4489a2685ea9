import type { GatewayClient } from 'passport-sms-otp';

declare global {
  namespace Express {
    interface User {
      readonly id: string;
    }
  }
}

/** Your users, wherever they are stored. */
export interface Users {
  checkPassword(username: string, password: string): Promise<Express.User | null>;
  /** What it returns becomes `req.user`: leave the hash of the password out. */
  findById(id: string): Promise<Express.User | null>;
  /** E.164 with plus, or null. */
  findPhone(id: string): Promise<string | null>;
}

/** What a recipe is passed; everything else is in the recipe itself. */
export interface RecipeParts {
  readonly users: Users;
  readonly gateway: GatewayClient;
  readonly sessionSecret: string;
  /** A random string of at least 32 characters, for the option `secret`. */
  readonly otpSecret: string;
}
