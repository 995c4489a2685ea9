/** How a second factor was passed: one of our methods, or the name of a factor of the app. */
// The intersection lets editors suggest the known words.
export type Method = 'sms' | 'recovery-code' | 'trusted-device' | (string & {});
