import type { PageLocale, PageTexts } from './texts';

export type { PageLocale } from './texts';

export type PageName = Page['name'];

/** The purpose of a code. */
export type PagePurpose = 'login' | 'step-up' | 'transaction' | 'enroll';

/** The result of the last request. */
export interface PageNotice {
  readonly kind: 'error' | 'info';
  readonly text: string;
}

/**
 * The fields that every page has. Links and form actions are relative, so that they work with any
 * prefix.
 */
export interface PageBase {
  readonly locale: PageLocale;
  /** The name of the app, in the title and the header. */
  readonly appName: string | undefined;
  readonly notice: PageNotice | null;
  /** The names of the form fields. */
  readonly fields: {
    readonly code: string;
    readonly phone: string;
    readonly phoneId: string;
    readonly recoveryCode: string;
    readonly trustDevice: string;
  };
  /** The app's CSRF token, a hidden field of every form; null if the app has none. */
  readonly csrf: { readonly name: string; readonly value: string } | null;
  readonly homeHref: string;
  readonly loginHref: string;
  /** Adds links to the home page and the settings to the header. */
  readonly isLoggedIn: boolean;
  /** Null if no user is logged in or there is nothing to set. */
  readonly settingsHref: string | null;
}

/** A way to pass the second factor besides the message. */
export interface Way {
  readonly kind: 'recovery-code' | 'typed' | 'challenge';
  /** The factor's name. `totp` and `passkey` have their own sentences; others show this name. */
  readonly factor: string;
  readonly href: string;
}

/** Another message, to the same place or to another one of the user. */
export interface Resend {
  /** The wait before the next message; 0 if it can be sent now. */
  readonly seconds: number;
  /** Whether the next one goes by text message, unless the user chooses another place. */
  readonly isText: boolean;
  /** Whether codes of that factor are locked. Then only the others can be chosen. */
  readonly isLocked: boolean;
  readonly others: readonly (Place & { readonly phoneId: string })[];
}

/** Where a code goes. */
export interface Place {
  /** The name of the factor that sends it. */
  readonly factor: string;
  /** The last two digits of a number that gets text messages; empty if unknown. */
  readonly digits: string;
  /** The masked address of another factor. Null: the code goes by text message. */
  readonly address: string | null;
}

/** The code page, in five states. The place is where the newest code went. */
export interface CodePage extends PageBase, Place {
  readonly name: 'code';
  readonly purpose: PagePurpose;
  /**
   * - `sent`: the user can enter the code.
   * - `not-sent`: no message has been sent yet.
   * - `other-factor`: `ways[0]` is asked for first.
   * - `locked`: the user has to wait; the notice says how long. The `ways` still work.
   * - `no-attempts`: this code is used up or expired.
   */
  readonly state: 'sent' | 'not-sent' | 'other-factor' | 'locked' | 'no-attempts';
  /** The address that the form posts to: `code` or `confirm-number`. */
  readonly action: string;
  /** How long the code is still valid. */
  readonly secondsLeft: number;
  /** Null unless the last code was wrong. */
  readonly attemptsLeft: number | null;
  readonly transaction: { readonly amount: string; readonly payee: string } | null;
  /** For how long a device can be trusted. Null: no box is shown. */
  readonly trustDays: number | null;
  /** Null if this login gets no more messages. */
  readonly resend: Resend | null;
  readonly ways: readonly Way[];
  /** Whether the notice belongs to the code field. */
  readonly isNoticeAboutCode: boolean;
}

/** "I cannot get a code": what still works for this user. */
export interface OtherWaysPage extends PageBase {
  readonly name: 'other-ways';
  readonly resend: Resend | null;
  readonly ways: readonly Way[];
  /** The app's link to help. */
  readonly help: string | null;
}

export interface RecoveryCodePage extends PageBase {
  readonly name: 'recovery-code';
  /** Always null: a recovery code trusts no device. */
  readonly trustDays: null;
}

/** A factor of the app: a code to type, or a challenge that the browser answers. */
export interface FactorPage extends PageBase {
  readonly name: 'factor';
  readonly factor: string;
  readonly kind: 'typed' | 'challenge';
  readonly purpose: PagePurpose;
  readonly trustDays: number | null;
  /** The address that the form posts to, such as `factor-totp`. */
  readonly action: string;
  /** Where the script requests the options of a challenge by POST. */
  readonly optionsAction: string | null;
}

/**
 * The page on which a logged-in user confirms with a factor. Nothing is sent before the button is
 * pressed.
 */
export interface StepUpPage extends PageBase {
  readonly name: 'step-up';
  /** Whether the button sends a code, and if so whether it goes by text message. */
  readonly sends: 'message' | 'code' | null;
  /** The last two digits of the number to which the message is sent. Empty if unknown. */
  readonly digits: string;
  /** The user's own factor that comes first. Null if it is the message or not known. */
  readonly first: Way | null;
  /**
   * False if the user has no factor: then the page leads to `addNumberHref`, or to the app's help.
   */
  readonly hasFactor: boolean;
  readonly addNumberHref: string | null;
}

export interface AddNumberPage extends PageBase {
  readonly name: 'add-number';
  /** The user's input before a refusal. */
  readonly typed: string;
  /** The number that the new one replaces. Null: the new number is added. */
  readonly replaces: { readonly phoneId: string; readonly digits: string } | null;
  /** True if numbers can be typed without their country code. */
  readonly national: boolean;
}

/** "Sign-in security". A part is null if its feature is off. */
export interface SettingsPage extends PageBase {
  readonly name: 'settings';
  /** False if the last factor is too old: a link to `confirmHref` replaces the buttons. */
  readonly mayChange: boolean;
  /** True also for a user without any factor, who may add a first number or create first codes. */
  readonly mayAdd: boolean;
  readonly confirmHref: string;
  readonly numbers:
    | readonly {
        readonly phoneId: string;
        readonly digits: string;
        readonly isDefault: boolean;
        readonly isConfirmed: boolean;
      }[]
    | null;
  readonly recoveryCodesLeft: number | null;
  /** Times are in milliseconds since 1970. */
  readonly devices:
    | readonly { readonly deviceId: string; readonly label: string; readonly createdAt: number }[]
    | null;
  readonly logins:
    | readonly {
        readonly loginId: string;
        readonly label: string;
        readonly startedAt: number;
        readonly lastSeenAt: number;
        readonly isCurrent: boolean;
      }[]
    | null;
}

export interface RecoveryCodesPage extends PageBase {
  readonly name: 'recovery-codes';
  /** The new codes, shown once. Null: the page explains what happens and has the button. */
  readonly codes: readonly string[] | null;
  readonly codesLeft: number;
  /** Identifies this form in the field `form`, so that a second submission is recognized. */
  readonly form: string;
}

/** A page with one message and a link. */
export interface MessagePage extends PageBase {
  readonly name: 'message';
  readonly message: 'ended' | 'refused-form' | 'failed' | 'codes-lost';
  readonly link: {
    readonly href: string;
    readonly to: 'login' | 'home' | 'settings' | 'back';
  };
}

export type Page =
  | CodePage
  | OtherWaysPage
  | RecoveryCodePage
  | FactorPage
  | StepUpPage
  | AddNumberPage
  | SettingsPage
  | RecoveryCodesPage
  | MessagePage;

/** The look of the pages: options that have been checked. */
export interface Look {
  /** The address of an image. Null shows our own logo. */
  readonly logo: string | null;
  /** A colour, served as `accent.css`. */
  readonly accent: string | null;
  /** The address of a stylesheet of the app, loaded last. */
  readonly stylesheet: string | null;
  readonly help: string | null;
  /** The app's own sentences for the locale of the page. */
  readonly texts?: PageTexts;
}
