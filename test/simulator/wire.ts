import { request } from 'node:http';
import { ALICE, PATHS, type Gateway } from './gateway';

/**
 * What reaches the wire for one generate call, before the connection ends or that much time has
 * passed since the fault.
 */
export interface Wire {
  readonly status: number | null;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  readonly end: 'complete' | 'broken' | 'silent';
}

/** Sends one generate call and watches what comes back. */
export function watchGenerate({ sim, token }: Gateway, patienceMs: number): Promise<Wire> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let head: Pick<Wire, 'status' | 'headers'> = { status: null, headers: {} };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const call = request(
      sim.baseUrl + PATHS.generate,
      { method: 'POST', headers, agent: false },
      (response) => {
        head = { status: response.statusCode ?? null, headers: response.headers };
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => finish('complete'));
        response.on('error', () => finish('broken'));
      },
    );
    let timer: NodeJS.Timeout | undefined;
    // Patience begins when the fault has struck, however busy the machine is.
    const poll = setInterval(() => {
      if (sim.stats().faults === 0 || timer !== undefined) return;
      timer = setTimeout(() => finish('silent'), patienceMs);
    }, 5);
    function finish(end: Wire['end']): void {
      clearInterval(poll);
      clearTimeout(timer);
      call.destroy();
      resolve({ ...head, body: Buffer.concat(chunks), end });
    }
    call.on('error', () => finish('broken'));
    call.end(JSON.stringify({ mobile: ALICE }));
  });
}
