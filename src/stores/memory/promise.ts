/** Does the work at once and gives its result, or what it threw, as a promise. */
export function promise<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
