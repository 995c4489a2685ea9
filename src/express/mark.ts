import type { Request } from 'express';
import { idText } from '../login/user-id';
import { currentUser } from './current-user';
import type { SessionSlot } from './session-slot';
import type { VerifiedMark } from './session-data';

/** What the guard found. */
export type MarkCheck = 'passed' | 'second-factor-required' | 'second-factor-too-old';

/** Reads the mark of a request and compares it with the current user. */
export interface MarkReader {
  /** The current user's mark, or undefined: no user, no mark, another user's mark. */
  readonly read: (req: Request) => VerifiedMark | undefined;
  /**
   * The question every guard asks. Allocates nothing, promises nothing.
   * @param maxAgeMs Infinity: any age. Else a trusted device is too old at once: nobody has shown anything just now.
   */
  readonly check: (req: Request, maxAgeMs: number) => MarkCheck;
}

export function createMarkReader(
  slot: SessionSlot,
  getUserId: (user: Express.User) => unknown,
  now: () => number,
): MarkReader {
  function read(req: Request): VerifiedMark | undefined {
    const user = currentUser(req);
    const mark = slot.peek(req)?.verified;
    if (user === undefined || mark === undefined) return undefined;
    return mark.userId === idText(getUserId(user)) ? mark : undefined;
  }

  return {
    read,
    check: (req, maxAgeMs) => {
      const mark = read(req);
      if (mark === undefined) return 'second-factor-required';
      if (maxAgeMs === Infinity) return 'passed';
      const isFresh = mark.method !== 'trusted-device' && now() - mark.at <= maxAgeMs;
      return isFresh ? 'passed' : 'second-factor-too-old';
    },
  };
}
