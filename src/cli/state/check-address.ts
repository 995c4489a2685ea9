import type { CommandFailure } from '../failures';

/** Looked at before a driver is: its message would quote the address, which may hold a password. @throws {CommandFailure} */
export function checkAddress(url: string, protocols: readonly string[], refusal: CommandFailure): void {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) throw refusal;
}
