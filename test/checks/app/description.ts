/** A user of the app, made for the test. */
export interface AppUser {
  /** What the user types as name. */
  readonly name: string;
  /** The number that the app texts, in E.164 with plus. */
  readonly phone: string;
}

/** Fields of a form, or of a JSON object, by their names. */
export type Fields = Readonly<Record<string, string>>;

/** A request that the app answers. */
export interface AppRequest {
  /** A path, or a function that returns the path of a user: encode what it puts into it. */
  readonly path: string | ((user: AppUser) => string);
  /** In capital letters. Default: POST. */
  readonly method?: string | undefined;
  /** What is sent, for a user. Default: nothing. */
  readonly fields?: Fields | ((user: AppUser) => Fields | Promise<Fields>) | undefined;
  /**
   * The page whose form makes the request: its hidden fields are sent along. Default: the page at
   * `path`, where the app takes forms.
   */
  readonly page?: string | undefined;
}

/**
 * A page, or another request, that is open after the second factor alone. Its method is GET by
 * default. A request that deletes something names something that may be deleted.
 */
export interface GuardedPage extends AppRequest {
  /**
   * A text that the answer has when the page is open. Default: an answer opens the page unless it
   * is the one that a stranger gets, by its status and the path that it leads to.
   */
  readonly shows?: string | undefined;
}

/** A request whose path is the same for all users. */
type FixedRequest = Pick<AppRequest, 'page'> & { readonly path: string };

/** Where an answer has a token, and how requests carry it. */
export interface TokenPlace {
  /** The member of the JSON object. */
  readonly field: string;
  /** The header that carries the token as it is. Default: `Authorization: Bearer`. */
  readonly header?: string | undefined;
}

/** An app that listens. */
export interface RunningApp {
  /** Such as `http://127.0.0.1:3000`. Only loopback addresses are accepted. */
  readonly baseUrl: string;
  readonly close: () => unknown;
}

/** What the checks use of `GatewaySimulator`. */
export interface AppSimulator {
  /** The password of the simulated account: no answer may show it. */
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

/** Where a script finds the token that shows that a request is from the app's own pages. */
export interface CsrfToken {
  /** An address that answers with the token in a JSON object. */
  readonly path?: string | undefined;
  /** The member of that object. Default: `token`. */
  readonly field?: string | undefined;
  /** A cookie that holds the token, in place of `path`. */
  readonly cookie?: string | undefined;
  /** The header that carries it. */
  readonly header: string;
}

/**
 * An app, as its checks need to know it. `start`, `simulator`, `users`, `login`, `code` and `guarded`
 * are needed; each of the other members makes more checks applicable.
 */
export interface AppDescription {
  /**
   * Starts the app, with `simulator` as its gateway, or returns the one that runs. It is called once
   * for each check, and once before the first one. Where it starts afresh, with an empty store, two users are enough. Where it does
   * not, give twenty: a user who has not finished a login waits for the next text.
   */
  readonly start: () => RunningApp | Promise<RunningApp>;
  /**
   * The gateway behind the app: a `GatewaySimulator` of `passport-sms-otp/simulator`, or a function
   * that returns it, where it is started later than the checks are made.
   */
  readonly simulator: AppSimulator | (() => AppSimulator);
  /** At least two users with a number each, who must pass a second factor. */
  readonly users: readonly AppUser[];
  /** The request that takes the password. */
  readonly login: FixedRequest & {
    /** The names of its two fields. Default: `username` and `password`. */
    readonly fields?:
      | { readonly username?: string | undefined; readonly password?: string | undefined }
      | undefined;
    /** Returns the password of a user. */
    readonly password: (user: AppUser) => string;
  };
  /** The request that takes the code. */
  readonly code: FixedRequest & {
    /** The name of its field. Default: `pin`. */
    readonly field?: string | undefined;
  };
  /** Everything that needs the second factor. */
  readonly guarded: readonly (string | GuardedPage)[];

  /** The app takes JSON in place of forms. */
  readonly jsonForms?: boolean | undefined;
  /** For apps whose forms have no hidden field with the token. */
  readonly csrf?: CsrfToken | undefined;
  /** The right code is answered with a token in place of a session. */
  readonly token?: TokenPlace | undefined;
  /** The name of the session's cookie. Default: that of the cookie that looks like one. */
  readonly sessionCookie?: string | undefined;
  /** The proxies in front of the app in production. */
  readonly proxy?:
    | {
        /** How many of them. Default: 1. */
        readonly hops?: number | undefined;
        /** Whether the outermost one takes https. */
        readonly https?: boolean | undefined;
      }
    | undefined;
  /** What no answer may show, beside passwords: keys, tokens, hashes. */
  readonly secrets?: readonly string[] | undefined;
  /** Further names of fields and parameters that say where to go after the login. */
  readonly returnTo?: readonly string[] | undefined;

  /** Ends the login. */
  readonly logout?: AppRequest | undefined;
  /** Texts another code. */
  readonly resend?: AppRequest | undefined;
  /** Ends a login that waits for its code. */
  readonly cancel?: AppRequest | undefined;
  /** Texts a code to somebody who is logged in. */
  readonly stepUp?:
    | (AppRequest & {
        /** The request that takes this code. Default: that of the login. */
        readonly code?: FixedRequest | undefined;
        /** What needs a step-up, although its user is logged in. */
        readonly protects?: readonly (string | GuardedPage)[] | undefined;
        /**
         * Lets the time pass after which `protects` need a step-up. Default: they need one at once.
         */
        readonly passTime?: (() => unknown) | undefined;
      })
    | undefined;
  /**
   * Sets a new password without the old one, in one or more requests; the same one as before, unless
   * `start` starts afresh.
   */
  readonly passwordReset?:
    | {
        readonly requests: readonly AppRequest[];
        /** Logins from before the reset are meant to go on. */
        readonly keepsLogins?: boolean | undefined;
      }
    | undefined;
  /**
   * Every other way in: a link by mail, a token for the password, a sign-up, an API key. Its
   * requests are made one after another, and all guarded pages must stay closed after each.
   */
  readonly otherWaysIn?:
    | readonly {
        readonly requests: readonly AppRequest[];
        /** What its answers have in place of a session. Default: `token` of the app. */
        readonly token?: TokenPlace | undefined;
      }[]
    | undefined;
  /** A cookie that stands for the password. */
  readonly rememberMe?:
    | {
        /** What is sent with password and code to get it. */
        readonly fields: Fields;
        /** The request that takes the cookie in place of the password, if any. */
        readonly request?: AppRequest | undefined;
      }
    | undefined;
  /** Somebody who may log in as another user. */
  readonly logInAs?:
    | {
        readonly by: AppUser;
        readonly request: AppRequest;
        /**
         * Returns what a guarded page shows of a user. Left out: a guarded page that is open
         * afterwards counts as the other user's, which is wrong where staff have a page there too.
         */
        readonly shows?: ((user: AppUser) => string) | undefined;
      }
    | undefined;
  /** What is sent with the code so that the device is trusted. */
  readonly trustedDevice?: { readonly fields: Fields } | undefined;
  /** The request by which a user adds or changes a number. */
  readonly newNumber?:
    | (FixedRequest & {
        /** The name of its field. Default: `phone`. */
        readonly field?: string | undefined;
        /** A number that no user has, in E.164 with plus. */
        readonly phone: string;
      })
    | undefined;
  /** The name of a user who has no number, and no other second factor. */
  readonly userWithoutNumber?: string | undefined;
}

/** Returns all requests that are described. A page of `guarded` has the method GET by default. */
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

/** The method and the path alone: the fields of a login are names. */
function toRequest({ path, ...request }: Pick<AppRequest, 'path'>): AppRequest {
  return 'method' in request && typeof request.method === 'string'
    ? { path, method: request.method }
    : { path };
}
