/** The median of a list of numbers, the bounds of its middle half, and its ends. */
export function summarize(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { median: at(0.5), low: at(0.25), high: at(0.75), min: sorted[0], max: sorted.at(-1) };
}

/**
 * Runs the subjects in turn, round after round, each round beginning with another one, so that what
 * the machine does meanwhile falls on all alike: the shorter the turns, the better. The first round
 * warms up and is not counted.
 * @param subjects by name. @param run gives the figures of one turn.
 */
export async function interleave(subjects, rounds, run) {
  const names = Object.keys(subjects);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const figure = await run(subjects[name], name);
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

/**
 * Each subject's ratio to the reference, round by round: what was slow for one was slow for the
 * other.
 */
export function ratios(figures, reference, field) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, rounds]) => [
      name,
      summarize(rounds.map((round, index) => round[field] / figures[reference][index][field])),
    ]),
  );
}

/** Calls per second and processor time per call of so many callers at once. */
export async function load(call, callers, durationMs) {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  let calls = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < endsAt) {
        await call();
        calls += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perSecond: calls / seconds, cpuMicros: (user + system) / calls };
}

/** Nanoseconds and bytes of one synchronous call. Needs --expose-gc. */
export function time(call, calls) {
  const startedAt = process.hrtime.bigint();
  for (let index = 0; index < calls; index += 1) call();
  const nanoseconds = Number(process.hrtime.bigint() - startedAt) / calls;
  globalThis.gc();
  const few = 20_000;
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < few; index += 1) call();
  const bytes = (process.memoryUsage().heapUsed - before) / few;
  return { nanoseconds, bytes: Math.max(0, bytes) };
}

/** 1.23 (1.10-1.40): the median, and between what half of the rounds lie. */
export function show({ median, low, high }, digits = 2) {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`;
}
