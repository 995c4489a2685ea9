import { read, readGroups } from './contents.mjs';

const PICTURE =
  'The page that asks for the code, beside the inbox in which its message has arrived';

/** The part of README.md below a heading that begins with these words. */
function readPart(heading) {
  const [, part] = read('README.md').split(new RegExp(`^## ${heading}.*$`, 'm'));
  return part.split(/^## /m)[0].trim();
}

/** The sample of README.md. */
const readSample = () => /^```ts\n[\s\S]*?^```$/m.exec(read('README.md'))[0];

/** How many holes README.md says that the audit looks for. */
const readHoles = () => /of (\d+) holes/.exec(read('README.md'))[1];

function writeProofs() {
  return `<div class="proofs">
<section>

## No one is logged in between the factors

After the right password \`req.isAuthenticated()\` is still \`false\`. The right code logs the user in exactly once, in a new session. A forgotten guard lets in no one who has only the password. [How it works](docs/how-it-works.md)

</section>
<section>

## Limits cannot be turned off

Five attempts for a code, three messages for a login, ten wrong codes until a lock. Each attempt is counted before the code is checked, in one step that all processes share. You can change the limits, but not remove them. [Limits](docs/options.md#limits)

</section>
<section>

## Attack your own app

\`npx passport-sms-otp audit server.js\` logs in to your app as browsers and attackers do. It reports which of ${readHoles()} holes the app has: a route without a guard, a password reset that logs in, a session that survives the logout. [Test your own app](docs/test-your-own-app.md)

</section>
</div>`;
}

function writeGroups() {
  const sections = readGroups().map(({ title, pages }) => {
    const links = pages.map((page) => `[${page.title}](${page.path})`);
    const list = title === 'Recipes' ? links.join(' · ') : `- ${links.join('\n- ')}`;
    return `<section>\n\n## ${title}\n\n${list}\n\n</section>`;
  });
  return `<div class="groups">\n\n${sections.join('\n\n')}\n\n</div>`;
}

/** The first page of the site: the pitch, the sample, three proofs, and all pages. */
export function writeFirstPage() {
  const front = ['---', 'sidebar: false', 'aside: false', 'search: false', 'pageClass: start'];
  const pictures = ['light', 'dark'].map(
    (look) => `<img class="only-${look}" src="./docs/images/login-${look}.png" alt="${PICTURE}">`,
  );
  return [
    [...front, 'prev: false', 'next: false', '---'].join('\n'),
    '<p class="name">passport-sms-otp</p>',
    '# SMS two-factor login for Passport, with the abuse protection built in',
    '<p class="summary">A Passport strategy and Express middleware. Your app checks the password as before, and a code by text message becomes the second factor. It works with Twilio Verify, Vonage Verify or any provider that you can call.</p>',
    '<div class="actions">\n\n[Quick start](docs/quick-start.md)\n[Add it to your app](docs/add-to-your-app.md)\n[FAQ](docs/faq.md)\n\n</div>',
    readSample(),
    writeProofs(),
    '## Try it in 60 seconds',
    readPart('Try it'),
    `<p class="picture">${pictures.join('')}</p>`,
    writeGroups(),
    '',
  ].join('\n\n');
}
