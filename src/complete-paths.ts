import type { Paths } from './middleware/paths';

/** The ready-made pages that have a path of their own, and where they are without a prefix. */
const READY_MADE = {
  code: '/second-factor/code',
  stepUp: '/second-factor/step-up',
  settings: '/second-factor/settings',
} as const satisfies Partial<Paths>;

/**
 * Completes the option. The ready-made pages are in one place: if one has a prefix, the others that
 * are left out have it too.
 *
 * @example completePaths({ code: '/a/second-factor/code' }).stepUp is '/a/second-factor/step-up'.
 */
export function completePaths(given: GivenPaths): Paths {
  const { login = '/login', home = '/' } = given;
  const prefix = findPrefix(given);
  const { code, stepUp, settings } = READY_MADE;
  return {
    login,
    home,
    code: given.code ?? `${prefix}${code}`,
    stepUp: given.stepUp ?? `${prefix}${stepUp}`,
    settings: given.settings ?? `${prefix}${settings}`,
  };
}

/** Returns what stands before a ready-made page in a path that is given; usually nothing. */
function findPrefix(given: GivenPaths): string {
  const names = ['code', 'stepUp', 'settings'] as const;
  const moved = names.find((name) => given[name]?.endsWith(READY_MADE[name]));
  return moved === undefined ? '' : (given[moved] ?? '').slice(0, -READY_MADE[moved].length);
}

/** The option, of which everything may be left out. */
type GivenPaths = { readonly [Name in keyof Paths]?: string | undefined };
