import { createChangePhones, type ChangePhones } from './change-phones';
import { createConfirmPhone } from './confirm-phone';
import { createEnrolPhone } from './enrol-phone';
import type { EnrolmentParts } from './enrolment-parts';

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
