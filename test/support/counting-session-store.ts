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
  /** What a write fails with. */
  failure: unknown = new Error('canary: the store says something secret');
  /** So many writes fail, then they work again. */
  setsToFail = 0;
  /** Everything that was ever written, in order. */
  readonly writes: { sid: string; text: string }[] = [];

  override get(
    sid: string,
    callback: (error: unknown, session?: session.SessionData | null) => void,
  ): void {
    this.calls.get += 1;
    super.get(sid, callback);
  }

  override set(sid: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.calls.set += 1;
    const fails = this.failSets || this.setsToFail > 0;
    this.setsToFail = Math.max(0, this.setsToFail - 1);
    this.writes.push({ sid, text: JSON.stringify(data) });
    if (fails) callback?.(this.failure);
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
    return JSON.stringify(this.rests);
  }

  /** The ids that are in the store. */
  ids(): string[] {
    return Object.keys(this.rests);
  }

  /** One session as it rests in the store. */
  rest(sid: string): Record<string, unknown> | undefined {
    const text = this.rests[sid];
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  }

  /** Puts a session where it rests, as somebody with access to the store could. */
  put(sid: string, data: object): void {
    this.rests[sid] = JSON.stringify(data);
  }

  resetCalls(): void {
    Object.assign(this.calls, { get: 0, set: 0, touch: 0, destroy: 0 });
  }

  /** Where express-session's own store keeps its sessions as JSON; its types do not tell. */
  private get rests(): Record<string, string> {
    return (this as unknown as { sessions: Record<string, string> }).sessions;
  }
}
