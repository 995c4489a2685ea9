import { execFile } from 'node:child_process';

/** What a process left behind. */
export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LIMIT_MS = 110_000;

/** Runs a command to its end, at most 110 s. Never rejects. */
function run(command: string, parameters: readonly string[], cwd: string): Promise<Finished> {
  return new Promise((resolve) => {
    const options = {
      cwd,
      timeout: LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, NODE_ENV: 'test' },
    };
    execFile(command, parameters, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 1;
      resolve({ status: error === null ? 0 : code, stdout, stderr });
    });
  });
}

export function runNode(parameters: readonly string[], cwd: string): Promise<Finished> {
  return run(process.execPath, parameters, cwd);
}

/** Runs a command that must succeed. */
export async function mustRun(
  command: string,
  parameters: readonly string[],
  cwd: string,
): Promise<string> {
  const { status, stdout, stderr } = await run(command, parameters, cwd);
  if (status !== 0)
    throw new Error(
      `${command} ${parameters.join(' ')} ended with ${status}\n${stdout}\n${stderr}`,
    );
  return stdout;
}
