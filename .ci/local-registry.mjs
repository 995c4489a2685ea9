// A package registry for the rehearsal of a release: on loopback, in memory, with the two requests
// of `npm publish` and `npm install`. It refuses what npm's own refuses a package with provenance:
// a repository that is not the one it is built in, a version that is there already. Other packages
// are looked up where npm usually does.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param {{ upstream: string, repository: string }} options `repository`: the address that
 * package.json must name.
 * @returns {Promise<{ url: string, tarballs: Map<string, Buffer>, close(): Promise<void> }>}
 */
export async function startRegistry({ upstream, repository }) {
  /** What was published, by name. */
  const packages = new Map();
  const tarballs = new Map();

  async function publish(request) {
    const chunks = await request.toArray();
    const {
      name,
      versions,
      'dist-tags': tags,
      _attachments: attachments,
    } = JSON.parse(Buffer.concat(chunks).toString());
    const [[version, manifest]] = Object.entries(versions);
    const [{ data }] = Object.values(attachments);
    const given = manifest.repository?.url ?? '';
    if (given !== repository) {
      return [
        422,
        {
          error: `repository.url is "${given}", expected to match "${repository}" from provenance`,
        },
      ];
    }
    const known = packages.get(name) ?? { name, versions: {}, 'dist-tags': {} };
    if (version in known.versions)
      return [403, { error: 'You cannot publish over the previously published versions' }];
    const tarball = Buffer.from(data, 'base64');
    const path = `/${name}/-/${name}-${version}.tgz`;
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    known.versions[version] = { ...manifest, dist: { tarball: url + path, integrity } };
    Object.assign(known['dist-tags'], tags);
    packages.set(name, known);
    tarballs.set(path, tarball);
    return [201, { ok: true }];
  }

  async function answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, url).pathname);
    const name = path.slice(1);
    if (request.method === 'PUT') return sendJson(response, ...(await publish(request)));
    if (packages.has(name)) return sendJson(response, 200, packages.get(name));
    if (tarballs.has(path)) return response.end(tarballs.get(path));
    return response.writeHead(302, { location: upstream + request.url.slice(1) }).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(({ message }) => sendJson(response, 500, { error: message }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    tarballs,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
