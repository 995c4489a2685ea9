import cluster from 'node:cluster';

import { memoryStore } from '../../src/stores/memory/memory-store';

// Run as a program: tells its parent the codes of all warnings that one memoryStore() brings, here
// or in a worker.
if (process.argv[2] === 'in a worker' && cluster.isPrimary) {
  cluster.fork().once('message', (codes) => process.send?.(codes));
} else {
  const codes: unknown[] = [];
  process.on('warning', (warning) => codes.push((warning as Error & { code?: string }).code));
  memoryStore();
  setTimeout(() => process.send?.(codes, () => process.disconnect()), 10);
}
