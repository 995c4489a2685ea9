import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_FOLDER } from './run-folder';

/** Called by jest before the first suite; workers inherit what it sets. */
export default async function beginRun(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sms-otp-run-'));
  // A service that runs as another user passes through it to its own folder.
  await chmod(folder, 0o711);
  process.env[RUN_FOLDER] = folder;
}
