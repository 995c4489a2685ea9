import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const FOLDER = join(__dirname, '../../.github/workflows');

/** The jobs of a workflow, as text. */
function readJobs(file: string): string[] {
  const [, jobs = ''] = readFileSync(join(FOLDER, file), 'utf8').split(/^jobs:\n/m);
  return jobs.split(/^(?= {2}\w+:$)/m);
}

describe.each(readdirSync(FOLDER))('the workflow %s', (file) => {
  it('names every action by its commit, with the version beside it', () => {
    const actions =
      readJobs(file)
        .join('')
        .match(/uses: (?!\.\/).*/g) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$/);
  });

  it('installs nothing and runs no code of the repository beside the right to publish', () => {
    const publishing = readJobs(file).filter((job) => job.includes('id-token: write'));
    expect(publishing).toHaveLength(file === 'publish.yml' ? 1 : 0);
    for (const job of publishing) expect(job).not.toMatch(/npm (ci|install|run)|checkout@/);
  });
});
