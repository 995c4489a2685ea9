import { DESK_LOOK } from './desk-look';
import { PHONE_LOOK } from './phone-look';

/** The page's style sheet. */
export const INBOX_LOOK = DESK_LOOK + PHONE_LOOK;
