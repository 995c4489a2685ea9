import type { Paths, SmsOtp } from 'passport-sms-otp';

/** The folder of the pages. */
export const FOLDER = '/second-factor';

/** The pages that have their own path in the option `paths`. */
export type PathPage = 'code' | 'step-up' | 'settings';

/** The addresses of the pages, as the browser sees them. */
export interface Addresses extends Paths {
  /** Returns the address of one of our pages. */
  readonly at: (name: string) => string;
  /** Whether the app serves this page itself. */
  readonly isOfApp: (name: PathPage) => boolean;
}

/**
 * Reads the addresses of the pages. A path that does not end like one of ours is a page of the app.
 * @throws {TypeError} without `paths`, or if our pages are below two prefixes.
 */
export function readAddresses(smsOtp: Pick<SmsOtp, 'settings'>): Addresses {
  requireSettings(smsOtp);
  const { paths } = smsOtp.settings;
  if (paths === undefined) {
    throw new TypeError(
      'smsOtpPages needs the option paths of createSmsOtp: write ' +
        "paths: { login: '/login', home: '/' }",
    );
  }
  refuseQueries(paths);

  const places = { code: paths.code, 'step-up': paths.stepUp, settings: paths.settings };
  const own = Object.entries(places).filter(([name, path]) => path.endsWith(`${FOLDER}/${name}`));
  const [folder = `${FOLDER}/`] = own.map(([name, path]) => path.slice(0, -name.length));
  requireFolder(folder, own);

  const ownNames = own.map(([name]) => name);
  return {
    ...paths,
    at: (name) => `${folder}${name}`,
    isOfApp: (name) => !ownNames.includes(name),
  };
}

/**
 * @throws {TypeError} if one of our pages is in another folder: the links between them are
 * relative.
 */
function requireFolder(folder: string, own: readonly (readonly [string, string])[]): void {
  for (const [name, path] of own) {
    if (path === `${folder}${name}`) continue;

    const option = name === 'step-up' ? 'stepUp' : name;
    throw new TypeError(
      'smsOtpPages: paths puts ready-made pages in two folders: ' +
        `${folder} and ${path.slice(0, -name.length)}. Write ${option}: '${folder}${name}'`,
    );
  }
}

/**
 * Refuses a query: the old address of a page redirects to the one in `paths`, so a query would make
 * an endless loop.
 */
function refuseQueries(paths: Paths): void {
  for (const [name, path] of Object.entries<string>({ ...paths })) {
    const [page = ''] = path.split(/[?#]/, 1);
    if (page === path || !/\/second-factor\/(?:code|step-up|settings)$/.test(page)) continue;

    throw new TypeError(
      `smsOtpPages: paths.${name} has a query or a fragment: a ready-made page has none. ` +
        `Write '${page}'`,
    );
  }
}

/** @throws {TypeError} if an app without types has passed the options here. */
function requireSettings(given: unknown): void {
  const isOurs = typeof given === 'object' && given !== null && 'settings' in given;
  if (!isOurs)
    throw new TypeError('smsOtpPages(smsOtp) needs the object that createSmsOtp returned');
}
