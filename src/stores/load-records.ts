import type * as RecordsModule from './records';

/** The schemas of stored records, as checks and parsers. */
export type Records = typeof RecordsModule;

/**
 * Loads the records, and zod with them, right after the store that calls this was constructed:
 * neither an import of the package nor a login waits for it.
 */
export async function loadRecords(): Promise<Records> {
  await Promise.resolve();
  // Not by `import()`: where TypeScript runs through tsx for CommonJS, it would not find the file.
  return require('./records') as Records;
}
