import type { Rule } from 'eslint';

export const rules: Record<string, Rule.RuleModule>;
