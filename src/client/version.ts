/**
 * Returns the version of the package. The path works from `dist` and from `src`, which are equally
 * deep.
 */
export function readVersion(): string {
  return (require('../../package.json') as { readonly version: string }).version;
}
