import { join } from 'node:path';
import { ensureBuilt } from './build';
import { ROOT } from './repository';
import { mustRun } from './run';

/** The package as it would be published. */
export interface Tarball {
  /** Paths inside the tarball, without its leading folder. */
  readonly files: readonly string[];
  /** Where it is unpacked. */
  readonly directory: string;
}

/** Packs the package and unpacks it below `directory`. */
export async function packInto(directory: string): Promise<Tarball> {
  await ensureBuilt();
  await mustRun('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], ROOT);
  await mustRun('sh', ['-c', 'tar -xzf ./*.tgz'], directory);
  const list = await mustRun('sh', ['-c', 'tar -tzf ./*.tgz'], directory);
  const files = list.split('\n').filter((line) => line !== '' && !line.endsWith('/'));
  return {
    files: files.map((file) => file.replace(/^package\//, '')).sort(),
    directory: join(directory, 'package'),
  };
}
