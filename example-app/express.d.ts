import type { Bank } from './bank';
import type { User as AppUser } from './users';

declare global {
  namespace Express {
    /** `req.user` is one of ours. */
    interface User extends AppUser {}
  }
}

declare module 'express-session' {
  interface SessionData {
    bank?: Bank;
  }
}
