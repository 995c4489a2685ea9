import { isAccepted } from '../core/accepted-factors';
import type { Method } from '../method';
import type { GuardOptions } from './options';

/** A page that the user wanted before the second factor, and whom its guard lets pass. */
export interface KeptPage {
  /** A path of this site, or a URL of one of `returnToOrigins`. Null: no page is kept. */
  readonly url: string | null;
  /** Whether the guard lets users pass who need no second factor. */
  readonly allowsNotRequired?: true;
  /** Whether the guard asks for a recent factor, which a trusted device never is. */
  readonly needsFactor?: true;
  /** The factors that the guard, and so the next step-up, accepts. Left out: any. */
  readonly methods?: readonly string[];
}

/** The pages to return to after a login or step-up. */
export interface ReturnPages {
  /** Returns a page to keep; null if the address is not safe. */
  readonly keep: (address: unknown, guard: GuardOptions) => KeptPage | null;
  /**
   * Returns a page that the app has kept itself, for every user; null if there is none that is
   * safe.
   */
  readonly keepOwn: (address: unknown) => KeptPage | null;
  /**
   * Returns where a user goes next: the first page in the list, if its guard lets the user pass.
   * Null: there is none.
   * @param method How the second factor was passed; null: none was needed.
   */
  readonly find: (pages: readonly (KeptPage | undefined)[], method: Method | null) => string | null;
}

export function createReturnPages(origins: readonly string[]): ReturnPages {
  function keep(address: unknown, guard: GuardOptions): KeptPage | null {
    const url = toSafeAddress(address, origins);
    if (url === null) return null;
    return {
      url,
      ...(guard.allowNotRequired === true && { allowsNotRequired: true }),
      ...(guard.maxAgeSeconds !== undefined && { needsFactor: true }),
      ...(guard.methods && { methods: guard.methods }),
    };
  }

  function letsPass(page: KeptPage, method: Method | null): boolean {
    if (method === null) return page.allowsNotRequired === true;
    if (page.needsFactor === true && method === 'trusted-device') return false;
    return isAccepted(page.methods, method);
  }

  return {
    keep,
    keepOwn: (address) => keep(address, { allowNotRequired: true }),
    find(pages, method) {
      const page = pages.find((one) => one !== undefined);
      if (page === undefined || page.url === null || !letsPass(page, method)) return null;
      // Sessions are stored outside of this process, so the address is checked again.
      return toSafeAddress(page.url, origins);
    },
  };
}

/** The pages in the slot of a session. */
interface KeptPages {
  readonly returnTo?: KeptPage;
  readonly pending?: { readonly pendingUntil: number; readonly returnTo?: KeptPage };
}

/**
 * Returns the page that was wanted last: one that a guard has kept is newer than the page of a
 * pending login.
 */
export function findWanted({ returnTo, pending }: KeptPages, now: number): KeptPage | undefined {
  if (returnTo !== undefined) return returnTo;
  return pending !== undefined && pending.pendingUntil > now ? pending.returnTo : undefined;
}

/**
 * Returns the page with the factors of another guard that keeps no page of its own. Null: the guard
 * accepts the same factors.
 */
export function withMethods(
  page: KeptPage | undefined,
  methods: readonly string[] | undefined,
): KeptPage | null {
  if (page?.methods?.join() === methods?.join()) return null;
  const { methods: _before, ...rest } = page ?? { url: null };
  return { ...rest, ...(methods && { methods }) };
}

/** Returns a path of this site, or a URL of one of the origins; null for any other address. */
function toSafeAddress(address: unknown, origins: readonly string[]): string | null {
  return toSafePath(address) ?? toUrlOf(address, origins);
}

/** The most characters of an address that a session keeps. */
const MAX_LENGTH = 2_048;

/** An origin that cannot exist. If a URL still has it after parsing, it leads to no other site. */
const SOME_ORIGIN = 'http://origin.invalid';

/**
 * Returns a path of this site, or null. The returned path is the one that was checked: parsed and
 * serialized again, because parsing can turn a harmless-looking path into another host
 * ("/..//host").
 */
export function toSafePath(path: unknown): string | null {
  if (typeof path !== 'string' || path.length > MAX_LENGTH || !isRooted(path)) return null;
  if (!URL.canParse(path, SOME_ORIGIN)) return null;
  const url = new URL(path, SOME_ORIGIN);
  const final = url.pathname + url.search + url.hash;
  return url.origin === SOME_ORIGIN && isRooted(final) ? final : null;
}

/**
 * Returns whether a path begins with one slash and has no backslash, space or control character:
 * browsers interpret those in different ways.
 */
function isRooted(path: string): boolean {
  return /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
}

/**
 * Returns a URL of one of the origins, without a user name, parsed and serialized; otherwise null.
 */
function toUrlOf(address: unknown, origins: readonly string[]): string | null {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return null;
  if (/[\\\s\p{Cc}]/u.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  // A `blob:` URL has the origin of the page that made it.
  const isPage = url.protocol === 'https:' || url.protocol === 'http:';
  const isAllowed = origins.includes(url.origin) && url.username === '' && url.password === '';
  return isPage && isAllowed && url.href.length <= MAX_LENGTH ? url.href : null;
}
