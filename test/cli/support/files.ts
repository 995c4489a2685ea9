import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeLater } from '../../client/support/cleanup';

/** A folder for the files of one test. */
export interface Folder {
  readonly path: string;
  write(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
}

export function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'passport-sms-otp-cli-'));
  closeLater(() => Promise.resolve(rmSync(path, { recursive: true, force: true })));
  return {
    path,
    write: (name, text) => writeFileSync(join(path, name), text),
    read: (name) => readFileSync(join(path, name), 'utf8'),
    has: (name) => existsSync(join(path, name)),
  };
}
