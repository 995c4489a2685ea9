import type { BaseIssue } from 'valibot';

/** What is wrong with a value that was handed in, without the value, which a schema's own words would show. */
export function describeIssue({ type, expected }: BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known';
  return `expected ${expected ?? type.replaceAll('_', ' ')}`;
}
