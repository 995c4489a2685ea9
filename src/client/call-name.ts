/** The calls to the gateway, by the word that errors, events and deadlines use. OTP spec §4, HLR spec §4. */
export type CallName =
  'auth' | 'generate' | 'validate' | 'balance' | 'pricing' | 'lookup' | 'hlr-balance' | 'hlr-pricing';
