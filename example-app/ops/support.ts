import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '../../docs/help-desk.md');

/** What users say, and what to check and to do then. */
export interface Complaint {
  readonly title: string;
  readonly steps: readonly { readonly name: string; readonly text: string }[];
}

/** Reads the complaints of the documentation, without links. Backticks stand around code. */
export function readSupport(): readonly Complaint[] {
  const [, part = ''] = readFileSync(PAGE, 'utf8').split('\n## What users say\n');
  const [section = ''] = part.split(/^## /m);
  return section
    .split(/^### /m)
    .slice(1)
    .map((complaint) => {
      const [title = ''] = complaint.split('\n', 1);
      const steps = complaint.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm);
      return {
        title,
        steps: Array.from(steps, ([, name = '', text = '']) => ({
          name,
          text: withoutLinks(text),
        })),
      };
    });
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
