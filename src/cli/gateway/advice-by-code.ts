const CREDENTIALS = 'Set SMS_OTP_USERNAME and SMS_OTP_PASSWORD to those of the API account.';
const NO_OTP = "Ask the gateway's operator to switch the OTP service on for the account.";
const NO_LOOKUP = "Ask the gateway's operator to switch number lookups on for the account.";
const LATER = "Try again later; if it stays so, ask the gateway's operator.";
const NUMBER = 'Look at the number; it needs its country code.';

/** What to do about an error the gateway answers with. OTP spec §7, HLR spec §7. */
const ADVICE: Readonly<Record<number, string>> = {
  1001: LATER,
  1002: CREDENTIALS,
  1003: CREDENTIALS,
  1004: CREDENTIALS,
  1006: 'Top the account up.',
  1007: 'The gateway has no such path. Look at SMS_OTP_BASE_URL and SMS_OTP_VARIANT; doctor finds the variant out.',
  1009: 'Somebody else logs in with the same account; give each its own, or use variant A, which shares a token.',
  1221: NUMBER,
  1222: LATER,
  2002: LATER,
  2003: NUMBER,
  2004: NO_LOOKUP,
  2005: 'The gateway cannot look up numbers of this network.',
  2100: NO_OTP,
  2101: NUMBER,
  2102: "The account may not text this destination; ask the gateway's operator.",
  2103: NUMBER,
  2104: 'Look at --sender.',
  2105: 'Look at --message.',
  2106: 'Make --message shorter.',
  2107: 'The code, the id or the number is wrong, or the code has expired or was used. Send another one.',
  2108: 'The code has expired. Send another one.',
  2109: 'The code was used already. Send another one.',
  2110: 'Look at --validity.',
  2120: 'The code is wrong.',
  2121: LATER,
};

export function adviseOnCode(gatewayCode: number | null): string {
  return ADVICE[gatewayCode ?? 0] ?? LATER;
}
