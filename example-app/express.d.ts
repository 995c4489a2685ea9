import type { Bank } from './bank';

declare global {
  namespace Express {
    /** What the app knows of a user: what `req.user` is everywhere. */
    interface User {
      readonly id: string;
      readonly username: string;
      readonly name: string;
      /** E.164 with plus. */
      readonly phone: string;
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    bank?: Bank;
  }
}
