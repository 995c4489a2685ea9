/**
 * Returns the version of the package. Built files are as deep below its manifest as the sources.
 */
export function readVersion(): string {
  // The manifest is our own, and always has a version.
  return (require('../../package.json') as { readonly version: string }).version;
}
