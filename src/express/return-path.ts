/** Longer paths are not worth keeping in a session. */
const MAX_PATH_LENGTH = 2_048;

/** An origin nobody has: what still points to it after parsing points nowhere else. */
const SOME_ORIGIN = 'http://origin.invalid';

/**
 * A path of this site, or null. What is judged is what is given back: the parsed and written-out form, because parsing
 * can turn a harmless look into another host ("/..//host").
 */
export function toSafePath(path: unknown): string | null {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH || !isRooted(path)) return null;
  if (!URL.canParse(path, SOME_ORIGIN)) return null;
  const url = new URL(path, SOME_ORIGIN);
  const final = url.pathname + url.search + url.hash;
  return url.origin === SOME_ORIGIN && isRooted(final) ? final : null;
}

/** Begins with one slash and holds no backslash, space or control character: browsers read those in ways of their own. */
function isRooted(path: string): boolean {
  return /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
}
