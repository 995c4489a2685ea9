/** How a second factor was passed: ours, or the name of a factor of the app's own. */
// The intersection keeps the known words for editors to offer.
export type Method = 'sms' | 'recovery-code' | 'trusted-device' | (string & {});
