import { type ChangePhones, createChangePhones } from './change-phones';
import { createConfirmPhone, createEnrollPhone } from './enroll';
import type { EnrollmentContext } from './phone-book';

/** The decisions about a user's numbers. No HTTP. */
export interface Enrollment extends ChangePhones {
  readonly enrollPhone: ReturnType<typeof createEnrollPhone>;
  readonly confirmPhone: ReturnType<typeof createConfirmPhone>;
}

export function createEnrollment(parts: EnrollmentContext): Enrollment {
  return {
    enrollPhone: createEnrollPhone(parts),
    confirmPhone: createConfirmPhone(parts),
    ...createChangePhones(parts),
  };
}
