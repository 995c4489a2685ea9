/** Standard deviations on either side that hold 95 % of a normal distribution. */
const DEVIATIONS = 1.96;

/**
 * The upper end of the 95 % Wilson interval: the highest true rate that what was seen still speaks for. 1 when nothing was seen.
 * @param successes of `trials`.
 */
export function upperWilsonBound(successes: number, trials: number): number {
  if (trials <= 0) return 1;
  const square = DEVIATIONS ** 2;
  const rate = Math.min(1, successes / trials);
  const middle = rate + square / (2 * trials);
  const spread = DEVIATIONS * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials ** 2));
  return Math.min(1, (middle + spread) / (1 + square / trials));
}
