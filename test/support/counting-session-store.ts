import session from 'express-session';

/** Calls of a session store, counted. */
export interface StoreCalls {
  get: number;
  set: number;
  touch: number;
  destroy: number;
}

/** express-session's own store with its calls counted, and faults on demand. */
export class CountingSessionStore extends session.MemoryStore {
  readonly calls: StoreCalls = { get: 0, set: 0, touch: 0, destroy: 0 };
  failSets = false;

  override get(sid: string, callback: (error: unknown, session?: session.SessionData | null) => void): void {
    this.calls.get += 1;
    super.get(sid, callback);
  }

  override set(sid: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.calls.set += 1;
    if (this.failSets) callback?.(new Error('canary: the store says something secret'));
    else super.set(sid, data, callback);
  }

  override touch(sid: string, data: session.SessionData, callback?: () => void): void {
    this.calls.touch += 1;
    super.touch(sid, data, callback);
  }

  override destroy(sid: string, callback?: (error?: unknown) => void): void {
    this.calls.destroy += 1;
    super.destroy(sid, callback);
  }

  /** Every session as it rests in the store. */
  dump(): string {
    return JSON.stringify((this as unknown as { sessions: unknown }).sessions);
  }

  resetCalls(): void {
    Object.assign(this.calls, { get: 0, set: 0, touch: 0, destroy: 0 });
  }
}
