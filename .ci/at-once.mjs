// node .ci/at-once.mjs <script> …: runs scripts of package.json at the same time, as many as there
// are processors. Prints what each has written when it ends, and ends with status 1 when one of
// them has failed. Begin with the longest.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';

const scripts = process.argv.slice(2);

function run(script) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script], {
      shell: process.platform === 'win32',
    });
    const written = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => written.push(chunk));
    child.on('close', (status) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(
        `\n> ${script}: ${status === 0 ? 'passed' : 'FAILED'} after ${seconds} s\n`,
      );
      process.stdout.write(Buffer.concat(written));
      resolve(status === 0);
    });
  });
}

async function runNext() {
  for (let script = scripts.shift(); script !== undefined; script = scripts.shift()) {
    if (!(await run(script))) process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runNext));
