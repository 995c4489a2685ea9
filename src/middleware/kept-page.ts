import { isAccepted } from '../core/accepted-factors';
import type { Method } from '../method';
import type { GuardOptions } from './options';

/** A page that was wanted before the second factor, and whom its guard lets pass. */
export interface KeptPage {
  /** A path of this site, or a URL of one of `returnToOrigins`. Null: there is no page to go to. */
  readonly url: string | null;
  /** Its guard lets users pass who need no second factor. */
  readonly allowsNotRequired?: true;
  /** Its guard asks for a recent factor, which a trusted device never is. */
  readonly needsFactor?: true;
  /** The factors that its guard accepts, and so does the step-up that follows. Left out: any. */
  readonly methods?: readonly string[];
}

/** The pages to return to after a login or step-up. */
export interface ReturnPages {
  /** Returns a page to keep; null for an address that is not safe. */
  readonly keep: (address: unknown, guard: GuardOptions) => KeptPage | null;
  /** Returns a page that the app has kept itself, for every user; null: none that is safe. */
  readonly keepOwn: (address: unknown) => KeptPage | null;
  /**
   * Returns where a user goes on to: the first page that there is, if its guard lets the user pass.
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
      // Sessions are stored outside of this process: the address is checked again.
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
 * Returns the page that was asked for last: what a guard has kept since is newer than the page of a
 * pending login.
 */
export function findWanted({ returnTo, pending }: KeptPages, now: number): KeptPage | undefined {
  if (returnTo !== undefined) return returnTo;
  return pending !== undefined && pending.pendingUntil > now ? pending.returnTo : undefined;
}

/**
 * Returns the page with the factors of another guard, which has no page of its own to keep. Null:
 * the guard accepts the same factors.
 */
export function withMethods(
  page: KeptPage | undefined,
  methods: readonly string[] | undefined,
): KeptPage | null {
  if (page?.methods?.join() === methods?.join()) return null;
  const { methods: _before, ...rest } = page ?? { url: null };
  return { ...rest, ...(methods && { methods }) };
}

/** Returns a path of this site, or a URL of one of the origins; null for anything else. */
function toSafeAddress(address: unknown, origins: readonly string[]): string | null {
  return toSafePath(address) ?? toUrlOf(address, origins);
}

/** Longer addresses are not worth keeping in a session. */
const MAX_LENGTH = 2_048;

/** An origin that cannot exist: a URL that still has it after parsing leads to no other site. */
const SOME_ORIGIN = 'http://origin.invalid';

/**
 * Returns a path of this site, or null. The path that is checked is the one returned: parsed and
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
 * Begins with one slash and holds no backslash, space or control character: browsers read those in
 * ways of their own.
 */
function isRooted(path: string): boolean {
  return /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
}

/** Returns a URL of one of the origins without a user name, parsed and serialized; or null. */
function toUrlOf(address: unknown, origins: readonly string[]): string | null {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return null;
  if (/[\\\s\p{Cc}]/u.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  // A blob has the origin of the page that made it.
  const isPage = url.protocol === 'https:' || url.protocol === 'http:';
  const isAllowed = origins.includes(url.origin) && url.username === '' && url.password === '';
  return isPage && isAllowed && url.href.length <= MAX_LENGTH ? url.href : null;
}
