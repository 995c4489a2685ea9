import { join } from 'node:path';

/** The top of the repository. */
export const ROOT = join(__dirname, '../../..');

export const MODULES = join(ROOT, 'node_modules');
