// node .ci/prepare-release.mjs, in the folder that is packed: writes into package.json where the
// package comes from, which is the repository that the workflow runs in. npm accepts no provenance
// without it. In the pages of the package, links to files that are not packed become links to the
// repository, at the tag of this version, and `git clone <this repository>` names it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import process from 'node:process';

/**
 * @returns {string} such as https://github.com/owner/name, from the variables that every workflow
 * has.
 */
function readRepository({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }) {
  if (!/^https:\/\/[\w.-]+$/.test(server ?? '') || !/^[\w.-]+\/[\w.-]+$/.test(repository ?? '')) {
    throw new Error(
      'GITHUB_SERVER_URL and GITHUB_REPOSITORY must name the repository, such as https://github.com and owner/name',
    );
  }
  return `${server}/${repository}`;
}

function fillManifest(address) {
  const { name, version, description, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
  const source = {
    repository: { type: 'git', url: `git+${address}.git` },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
  const manifest = { name, version, description, ...rest, ...source };
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** The paths of the files that npm packs. */
function listPacked() {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  });
  return JSON.parse(output)[0].files.map(({ path }) => path);
}

/** @param {string} page A page's path. @param {string} text Its text. */
function pointOutside(page, text, packed, toAddress) {
  const fix = (link) => {
    const [target, ...anchor] = link.split('#');
    if (target === '' || /^[a-z]+:/i.test(target)) return link;
    const path = normalize(join(dirname(page), target)).replaceAll('\\', '/');
    return packed.has(path) ? link : [toAddress(path), ...anchor].join('#');
  };
  // The odd parts are blocks of code.
  const parts = text.split(/^( *```[\s\S]*?^ *```)/m);
  const inText = (part) =>
    part
      .replaceAll(/(\]\()([^()\s]+)(?=[\s)])/g, (_match, before, link) => before + fix(link))
      .replaceAll(
        /(\b(?:href|src|srcset)=")([^"]+)(?=")/g,
        (_match, before, link) => before + fix(link),
      );
  return parts.map((part, index) => (index % 2 === 0 ? inText(part) : part)).join('');
}

const address = readRepository(process.env);
const { version } = fillManifest(address);
const packed = new Set(listPacked());
// `raw` for what a page shows, `blob` for what it leads to.
const toAddress = (path) =>
  `${address}/${/\.(png|svg)$/.test(path) ? 'raw' : 'blob'}/v${version}/${path}`;
for (const page of [...packed].filter((path) => path.endsWith('.md'))) {
  const text = readFileSync(page, 'utf8');
  const changed = pointOutside(page, text, packed, toAddress).replaceAll(
    '<this repository>',
    `${address}.git`,
  );
  if (changed !== text) writeFileSync(page, changed);
}
console.log(`passport-sms-otp ${version} comes from ${address}`);
