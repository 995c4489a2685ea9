/** True for a host that never leaves the machine: 127.0.0.0/8, ::1 and localhost. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true;
  return /^127(\.(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}$/.test(name);
}

/**
 * True when the Host header of a request names this machine; another name is a web page's attempt to rebind
 * its own.
 */
export function isLoopbackAuthority(authority: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:@/]+)(:[0-9]{1,5})?$/i.exec(authority ?? '')?.[1];
  return name !== undefined && isLoopbackHost(name);
}
