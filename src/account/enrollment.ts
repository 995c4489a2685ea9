import { type ChangePhones, createChangePhones } from './change-phones';
import { createConfirmPhone, createEnrolPhone } from './enroll';
import type { EnrolmentParts } from './phone-book';

/** The decisions about a user's numbers. No HTTP. */
export interface Enrolment extends ChangePhones {
  readonly enrolPhone: ReturnType<typeof createEnrolPhone>;
  readonly confirmPhone: ReturnType<typeof createConfirmPhone>;
}

export function createEnrolment(parts: EnrolmentParts): Enrolment {
  return {
    enrolPhone: createEnrolPhone(parts),
    confirmPhone: createConfirmPhone(parts),
    ...createChangePhones(parts),
  };
}
