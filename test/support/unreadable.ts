function refuse(): never {
  throw new Error('unreadable');
}

const TRAPS = { get: refuse, getPrototypeOf: refuse, has: refuse, ownKeys: refuse };

function makeRevoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Objects that throw when they are read, as a `Proxy` or a lazy object of an SDK may. */
export const UNREADABLE: readonly [what: string, error: unknown][] = [
  ['a proxy', new Proxy({}, TRAPS)],
  ['a proxy of an error', new Proxy(new Error('x'), TRAPS)],
  ['a proxy that was revoked', makeRevoked()],
  ['getters', Object.defineProperties({}, { code: { get: refuse }, name: { get: refuse } })],
];
