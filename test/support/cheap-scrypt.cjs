const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

/**
 * A password costs 45 ms, and the key of a client's tokens 110 ms, because guessing must be slow.
 * Tests guess nothing, so a process that has loaded this file derives every key at the least cost.
 * `useRealScrypt` of `real-scrypt.ts` gives the cost back to the suite that judges it.
 */
const { scrypt: real } = crypto;

function scrypt(password, salt, length, ...rest) {
  if (scrypt.isReal) return real(password, salt, length, ...rest);
  const [callback, options = {}] = rest.toReversed();
  return real(password, salt, length, { ...options, N: 2 }, callback);
}
scrypt.isReal = false;

crypto.scrypt = scrypt;
syncBuiltinESMExports();
