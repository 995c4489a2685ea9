/** A test user of the app. */
export interface AppUser {
  /** The name that the user types. */
  readonly name: string;
  /** The number to which the app sends codes, in E.164 with plus. */
  readonly phone: string;
}

/** Fields of a form or of a JSON object, by their names. */
export type Fields = Readonly<Record<string, string>>;

/** A request that the app answers. */
export interface AppRequest {
  /** A path, or a function that returns the path for a user. Encode the values that it inserts. */
  readonly path: string | ((user: AppUser) => string);
  /** The method in capital letters. Default: POST. */
  readonly method?: string | undefined;
  /** The fields to send for a user. Default: none. */
  readonly fields?: Fields | ((user: AppUser) => Fields | Promise<Fields>) | undefined;
  /**
   * The page with the form that makes the request. Its hidden fields are sent too. Default: the
   * page at `path`, if the app takes forms.
   */
  readonly page?: string | undefined;
}

/**
 * A page, or another request, that requires the second factor. Its default method is GET. If the
 * request deletes something, name something that may be deleted.
 */
export interface GuardedPage extends AppRequest {
  /**
   * A string that the answer contains if the page is open. Default: the page counts as open unless
   * the answer is the one that a stranger gets, by its status and the path of its redirect.
   */
  readonly shows?: string | undefined;
}

/** A request with the same path for all users. */
type FixedRequest = Pick<AppRequest, 'page'> & { readonly path: string };

/** Where an answer contains a token, and how requests send it. */
export interface TokenPlace {
  /** The field of the JSON object. */
  readonly field: string;
  /** The header that contains the token unchanged. Default: `Authorization: Bearer`. */
  readonly header?: string | undefined;
}

/** A running app. */
export interface RunningApp {
  /** The address, such as `http://127.0.0.1:3000`. Only loopback addresses are accepted. */
  readonly baseUrl: string;
  readonly close: () => unknown;
}

/** The part of `GatewaySimulator` that the checks use. */
export interface AppSimulator {
  /** The password of the simulated account. No answer may show it. */
  readonly password: string;
  /** The newest messages, oldest first. */
  readonly outbox: readonly { readonly mobile: string; readonly pin: string }[];
  failNext(
    call: 'generate' | 'validate',
    fault: 'html-502' | { readonly kind: 'error'; readonly code: number },
  ): void;
  clearFaults(): void;
  advanceSeconds(seconds: number): void;
}

/** Where a script gets the CSRF token of the app's own pages. */
export interface CsrfToken {
  /** An address that returns the token in a JSON object. */
  readonly path?: string | undefined;
  /** The field of that object. Default: `token`. */
  readonly field?: string | undefined;
  /** A cookie that contains the token. Replaces `path`. */
  readonly cookie?: string | undefined;
  /** The header in which the token is sent. */
  readonly header: string;
}

/**
 * The description of an app for its checks. `start`, `simulator`, `users`, `login`, `code` and
 * `guarded` are required. Each of the other fields makes more checks applicable.
 */
export interface AppDescription {
  /**
   * Starts the app with `simulator` as its gateway, or returns the running one. Called once for
   * each check, and once before the first one. If it starts with an empty store, two users are
   * enough. Otherwise list twenty: a user who has not finished a login must wait for the next
   * message.
   */
  readonly start: () => RunningApp | Promise<RunningApp>;
  /**
   * The app's gateway: a `GatewaySimulator` of `passport-sms-otp/simulator`, or a function that
   * returns it if it starts later than the checks are made.
   */
  readonly simulator: AppSimulator | (() => AppSimulator);
  /** At least two users, each with a number, who must pass a second factor. */
  readonly users: readonly AppUser[];
  /** The request that takes the password. */
  readonly login: FixedRequest & {
    /** The names of its two fields. Default: `username` and `password`. */
    readonly fields?:
      | { readonly username?: string | undefined; readonly password?: string | undefined }
      | undefined;
    readonly password: (user: AppUser) => string;
  };
  /** The request that takes the code. */
  readonly code: FixedRequest & {
    /** The name of its field. Default: `pin`. */
    readonly field?: string | undefined;
  };
  /** All pages and requests that need the second factor. */
  readonly guarded: readonly (string | GuardedPage)[];

  /** Whether the app takes JSON instead of forms. */
  readonly jsonForms?: boolean | undefined;
  /** For apps whose forms have no hidden field with the CSRF token. */
  readonly csrf?: CsrfToken | undefined;
  /** For apps that answer the right code with a token instead of a session. */
  readonly token?: TokenPlace | undefined;
  /** The name of the session cookie. Default: the cookie that looks like one. */
  readonly sessionCookie?: string | undefined;
  /** The proxies in front of the app in production. */
  readonly proxy?:
    | {
        /** The number of proxies. Default: 1. */
        readonly hops?: number | undefined;
        /** Whether the outermost proxy takes https. */
        readonly https?: boolean | undefined;
      }
    | undefined;
  /** Further strings that no answer may show, besides passwords: keys, tokens, hashes. */
  readonly secrets?: readonly string[] | undefined;
  /** Further names of fields and parameters with the page to go to after the login. */
  readonly returnTo?: readonly string[] | undefined;

  /** The request that logs out. */
  readonly logout?: AppRequest | undefined;
  /** The request that sends another code. */
  readonly resend?: AppRequest | undefined;
  /** The request that cancels a pending login. */
  readonly cancel?: AppRequest | undefined;
  /** The step-up, which sends a code to a logged-in user. */
  readonly stepUp?:
    | (AppRequest & {
        /** The request that takes this code. Default: that of the login. */
        readonly code?: FixedRequest | undefined;
        /** Pages and requests that need a step-up of a logged-in user. */
        readonly protects?: readonly (string | GuardedPage)[] | undefined;
        /** Advances the clock until `protects` needs a step-up. Default: it is needed at once. */
        readonly passTime?: (() => unknown) | undefined;
      })
    | undefined;
  /**
   * The requests that set a new password without the old one. Use the same password again, unless
   * `start` starts with an empty store.
   */
  readonly passwordReset?:
    | {
        readonly requests: readonly AppRequest[];
        /** True if logins from before the reset are meant to continue. */
        readonly keepsLogins?: boolean | undefined;
      }
    | undefined;
  /**
   * All other ways in: a link by mail, a token for the password, a sign-up, an API key. The
   * requests are made one after another, and all guarded pages must stay closed after each.
   */
  readonly otherWaysIn?:
    | readonly {
        readonly requests: readonly AppRequest[];
        /** Where its answers contain a token. Default: `token` of the app. */
        readonly token?: TokenPlace | undefined;
      }[]
    | undefined;
  /** A cookie that replaces the password. */
  readonly rememberMe?:
    | {
        /** The fields to send with password and code to get it. */
        readonly fields: Fields;
        /** The request that takes the cookie instead of the password, if there is one. */
        readonly request?: AppRequest | undefined;
      }
    | undefined;
  /** A user who may log in as another user. */
  readonly logInAs?:
    | {
        readonly by: AppUser;
        readonly request: AppRequest;
        /**
         * Returns a string that a guarded page shows for a user. Left out: a guarded page that is
         * open afterwards counts as the other user's. That is wrong if staff have a page there too.
         */
        readonly shows?: ((user: AppUser) => string) | undefined;
      }
    | undefined;
  /** The fields to send with the code to trust the device. */
  readonly trustedDevice?: { readonly fields: Fields } | undefined;
  /** The request with which a user adds or changes a number. */
  readonly newNumber?:
    | (FixedRequest & {
        /** The name of its field. Default: `phone`. */
        readonly field?: string | undefined;
        /** A number that no user has, in E.164 with plus. */
        readonly phone: string;
      })
    | undefined;
  /** The name of a user without a number and without another second factor. */
  readonly userWithoutNumber?: string | undefined;
}

/** Returns all described requests. The default method of a page in `guarded` is GET. */
export function listRequests(app: AppDescription): readonly AppRequest[] {
  const toGuarded = (page: string | GuardedPage): AppRequest =>
    typeof page === 'string' ? { path: page, method: 'GET' } : { method: 'GET', ...page };
  const { stepUp, passwordReset, otherWaysIn = [] } = app;
  const single = [app.login, app.code, app.logout, app.resend, app.cancel, stepUp, stepUp?.code];
  const rare = [app.rememberMe?.request, app.logInAs?.request, app.newNumber];

  return [
    ...[...single, ...rare].filter((request) => request !== undefined).map(toRequest),
    ...[...app.guarded, ...(stepUp?.protects ?? [])].map(toGuarded),
    ...(passwordReset?.requests ?? []),
    ...otherWaysIn.flatMap(({ requests }) => requests),
  ];
}

/** Returns the method and the path only, because the fields of a login are names. */
function toRequest({ path, ...request }: Pick<AppRequest, 'path'>): AppRequest {
  return 'method' in request && typeof request.method === 'string'
    ? { path, method: request.method }
    : { path };
}
