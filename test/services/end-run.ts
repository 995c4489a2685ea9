import { rm } from 'node:fs/promises';
import { RUN_FOLDER } from './run-folder';

/** Called by jest after the last suite. */
export default async function endRun(): Promise<void> {
  const folder = process.env[RUN_FOLDER];
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
