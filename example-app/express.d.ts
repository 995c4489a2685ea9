import type { Bank } from './bank';

declare global {
  namespace Express {
    /** What the app knows of a user: what `req.user` is everywhere. */
    interface User {
      readonly id: string;
      readonly username: string;
      readonly name: string;
      /** Whether they work for the bank, and may see its figures. */
      readonly isOperator: boolean;
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    bank?: Bank;
  }
}
