import { describe, expect, it } from '@jest/globals';
import { findProblem, readLinks } from './support/links';
import { readPage, readPages } from './support/pages';

const pages = readPages();

describe('the links of the documentation', () => {
  it('are found', () => {
    expect(pages.flatMap(readLinks).length).toBeGreaterThan(40);
  });

  it.each(pages.map((page) => [page.path, page] as const))(
    'of %s lead somewhere',
    (_path, page) => {
      const problems = readLinks(page).map((link) => [link, findProblem(page, link)]);
      expect(problems.filter(([, problem]) => problem !== null)).toEqual([]);
    },
  );

  it.each([
    ['nowhere.md', 'no such file'],
    ['../maintainers/gateway.md#no-such-heading', 'no such anchor'],
    ['#no-such-heading', 'no such anchor'],
    ['postgres.sql#there', 'an anchor in something that is no page'],
    ['../../etc/passwd', 'leads out of the repository'],
    ['http://other.example/', 'not https'],
    ['https://', 'no address'],
    ['../maintainers/gateway.md#otp-spec-3', null],
    ['../docs/../maintainers/gateway.md#otp-service', null],
    ['#one-process', null],
  ])('that read %s are judged: %s', (link, problem) => {
    expect(findProblem(readPage('docs/scaling.md'), link)).toBe(problem);
  });
});
