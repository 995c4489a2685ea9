import type { Bank } from './bank';

declare global {
  namespace Express {
    /** The user as the app knows it: the type of `req.user`. */
    interface User {
      readonly id: string;
      readonly username: string;
      readonly name: string;
      /** Whether the user works for the bank and may see its figures. */
      readonly isOperator: boolean;
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    bank?: Bank;
  }
}
