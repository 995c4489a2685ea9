import { isCompleteRun } from '../../support/complete-run';
import { endHosts, startHosts, type Host } from '../support/host';
import { startServer, type SharedKind, type StateServer } from '../support/state-server';

/** The gate has two processors: three processes keep them busy. The complete run takes eight. */
export const PROCESSES = isCompleteRun ? 8 : 3;

/** `PROCESSES` in the titles of facts. */
export const PROCESSES_IN_WORDS = isCompleteRun ? 'eight' : 'three';

/** The processes of all facts of `processes.test.ts`, which starts them before the first one. */
export const hosts: Host[] = [];

const servers = new Map<SharedKind, Promise<StateServer>>();

/** Starts a server, or returns the one that runs. Each fact leaves it empty. */
export function serverOf(kind: SharedKind): Promise<StateServer> {
  const server = servers.get(kind) ?? startServer(kind);
  servers.set(kind, server);
  return server;
}

export function startProcesses(): void {
  hosts.push(...startHosts(PROCESSES));
}

/** @throws {Error} when a process does not end by itself. */
export async function endProcesses(): Promise<void> {
  await endHosts(hosts);
  for (const server of servers.values()) await (await server).close();
}
