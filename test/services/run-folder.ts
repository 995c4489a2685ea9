/**
 * Names the folder that the workers of one run of jest share; unset outside of jest, as in
 * `npm run bench`.
 */
export const RUN_FOLDER = 'SMS_OTP_TEST_RUN_FOLDER';
