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
  readonly path: string;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | undefined;
  /** What is sent, for a user. Default: nothing. */
  readonly fields?: Fields | ((user: AppUser) => Fields | Promise<Fields>) | undefined;
  /**
   * The page whose form makes the request: its hidden fields are sent along. Default: the page at
   * `path`, where the app takes forms.
   */
  readonly page?: string | undefined;
}

/** A page, or another request, that is open after the second factor alone. */
export interface GuardedPage {
  readonly path: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | undefined;
  readonly fields?: Fields | undefined;
  /** The page whose form makes the request, where it is a POST. */
  readonly page?: string | undefined;
  /** A text that the answer has when the page is open. Default: any 2xx says so. */
  readonly shows?: string | undefined;
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
   * for each check. Where it starts afresh, with an empty store, two users are enough. Where it does
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
  readonly login: Pick<AppRequest, 'path' | 'page'> & {
    /** The names of its two fields. Default: `username` and `password`. */
    readonly fields?:
      | { readonly username?: string | undefined; readonly password?: string | undefined }
      | undefined;
    /** Returns the password of a user. */
    readonly password: (user: AppUser) => string;
  };
  /** The request that takes the code. */
  readonly code: Pick<AppRequest, 'path' | 'page'> & {
    /** The name of its field. Default: `pin`. */
    readonly field?: string | undefined;
  };
  /** Everything that needs the second factor. */
  readonly guarded: readonly (string | GuardedPage)[];

  /** The app takes JSON in place of forms. */
  readonly jsonForms?: boolean | undefined;
  /** For apps whose forms have no hidden field with the token. */
  readonly csrf?: CsrfToken | undefined;
  /** The right code is answered with a token for the header `Authorization: Bearer`. */
  readonly token?: { readonly field: string } | undefined;
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
        readonly code?: Pick<AppRequest, 'path' | 'page'> | undefined;
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
    | (Pick<AppRequest, 'path' | 'page'> & {
        /** The name of its field. Default: `phone`. */
        readonly field?: string | undefined;
        /** A number that no user has, in E.164 with plus. */
        readonly phone: string;
      })
    | undefined;
  /** The name of a user who has no number, and no other second factor. */
  readonly userWithoutNumber?: string | undefined;
}
