/** Everybody who asks under a key while an answer is under way gets that one. */
export function createSingleFlight<Result>(): (key: string, start: () => Promise<Result>) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();
  return (key, start) => {
    const joined = running.get(key);
    if (joined !== undefined) return joined;
    const started = start().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}
