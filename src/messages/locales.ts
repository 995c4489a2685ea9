import type { Purpose } from '../stores/store';

/** The locales that have texts, as BCP 47 tags. `req.acceptsLanguages(...MESSAGE_LOCALES)` chooses one by the browser. */
export const MESSAGE_LOCALES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'tr',
  'sv',
  'ar',
  'ja',
  'zh-Hans',
  'ko',
  'ru',
  'hi',
] as const;

export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

/** What a text is for. `short-transaction` replaces `transaction` where that leaves too little room for the payee. */
export type TextKind = Purpose | 'short-transaction';

/**
 * The texts of one locale. `{app}` is the opening, `{min}` the whole minutes (2 to 10); `{amount}` and `{payee}` belong to
 * transactions. Every text reads well without the opening.
 */
export interface LocaleTexts {
  /** Replaces `{app}` when the app has a name, with `{name}` for it. Without a name `{app}` is empty. */
  readonly opening: string;
  /** The same for `bound`, where the words differ: with a name, and without. */
  readonly boundOpening?: { readonly named: string; readonly unnamed: string };
  /** With the code in the sentence, as `[PIN]`. */
  readonly plain: Readonly<Record<TextKind, string>>;
  /** Before the origin-bound last line, which holds the code. */
  readonly bound: Readonly<Record<TextKind, string>>;
}

/**
 * Returns the locale whose texts the user can read: same language, same script; otherwise the default. So `de-AT` is `de`,
 * `zh` and `zh-SG` are `zh-Hans`, while `zh-TW` and `zh-Hant` get the default, because a reader of traditional characters
 * should not have to guess at simplified ones.
 *
 * @param tag A BCP 47 tag; case and underscores do not matter.
 * @param served The locales to choose from, the default first.
 */
export function chooseLocale(
  tag: string | undefined,
  served: readonly [MessageLocale, ...MessageLocale[]],
): MessageLocale {
  const [fallback] = served;
  if (typeof tag !== 'string') return fallback;
  try {
    const locale = BY_LANGUAGE_AND_SCRIPT.get(findLanguageAndScript(tag.replaceAll('_', '-')));
    return locale !== undefined && served.includes(locale) ? locale : fallback;
  } catch {
    // Not a language tag. A message in the wrong language is better than a refused login.
    return fallback;
  }
}

/** Adds the likely script of the language where the tag has none. */
function findLanguageAndScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}

const BY_LANGUAGE_AND_SCRIPT = new Map(
  MESSAGE_LOCALES.map((locale) => [findLanguageAndScript(locale), locale]),
);

/** Returns the locales that the default message may be sent in, the default one first. */
export function findServedLocales({
  defaultLocale = 'en',
  locales = MESSAGE_LOCALES,
}: {
  readonly defaultLocale?: MessageLocale | undefined;
  readonly locales?: readonly MessageLocale[] | undefined;
}): readonly [MessageLocale, ...MessageLocale[]] {
  return [defaultLocale, ...locales.filter((locale) => locale !== defaultLocale)];
}

/**
 * The texts of the default message. Six locales are always sent as UCS-2, 70 units: ar, ja, zh-Hans, ko, ru, hi. Their bound
 * texts leave out the minutes, Chinese excepted, and the name in transactions; the last line names the host.
 */
export const LOCALE_TEXTS: Readonly<Record<MessageLocale, LocaleTexts>> = {
  en: {
    opening: '{name}: ',
    boundOpening: { named: '{name} ', unnamed: 'Your ' },
    plain: {
      login: '{app}[PIN] is your sign-in code. It expires in {min} min. Never share it.',
      'step-up': '{app}[PIN] is your confirmation code. It expires in {min} min. Never share it.',
      transaction:
        '{app}[PIN] is your code for {amount} to {payee}. It expires in {min} min. Never share it.',
      enroll: '{app}[PIN] is your code to confirm this number. It expires in {min} min. Never share it.',
      'short-transaction': '{app}[PIN]: {amount} to {payee}',
    },
    bound: {
      login: '{app}sign-in code is on the last line. It expires in {min} min. Never share it.',
      'step-up': '{app}confirmation code is on the last line. It expires in {min} min. Never share it.',
      transaction: '{app}code for {amount} to {payee} is on the last line. Never share it.',
      enroll: '{app}new-number code is on the last line. It expires in {min} min. Never share it.',
      'short-transaction': '{amount} to {payee}',
    },
  },

  de: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] ist Ihr Anmeldecode. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      'step-up': '{app}[PIN] ist Ihr Bestätigungscode. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      transaction:
        '{app}[PIN] ist Ihr Code für {amount} an {payee}. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      enroll: '{app}[PIN] ist Ihr Code für diese Rufnummer. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      'short-transaction': '{app}[PIN]: {amount} an {payee}',
    },
    bound: {
      login:
        '{app}Ihr Anmeldecode steht in der letzten Zeile. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      'step-up': '{app}Ihr Bestätigungscode steht am Ende. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      transaction: '{app}Ihr Code für {amount} an {payee} steht am Ende. Geben Sie ihn niemals weiter.',
      enroll:
        '{app}Der Code für diese Rufnummer steht am Ende. Er gilt {min} Min. Geben Sie ihn niemals weiter.',
      'short-transaction': '{amount} an {payee}',
    },
  },

  // Words without ç, ê, ô: they would force UCS-2.
  fr: {
    opening: '{name} : ',
    plain: {
      login: '{app}[PIN] est votre code de connexion. Il expire dans {min} min. Ne le donnez à personne.',
      'step-up':
        '{app}[PIN] est votre code de confirmation. Il expire dans {min} min. Ne le donnez à personne.',
      transaction:
        '{app}[PIN] est votre code pour {amount} à {payee}. Il expire dans {min} min. Ne le donnez à personne.',
      enroll: '{app}[PIN] est votre code pour ce numéro. Il expire dans {min} min. Ne le donnez à personne.',
      'short-transaction': '{app}[PIN] : {amount} à {payee}',
    },
    bound: {
      login:
        '{app}Votre code de connexion est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
      'step-up':
        '{app}Votre code de confirmation est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
      transaction: '{app}Votre code pour {amount} à {payee} est en dernière ligne. Ne le donnez à personne.',
      enroll:
        '{app}Votre code pour ce numéro est en dernière ligne. Il expire dans {min} min. Ne le donnez à personne.',
      'short-transaction': '{amount} à {payee}',
    },
  },

  // "clave" and not "código", "teléfono" and not "número": ó and ú would force UCS-2, é does not.
  es: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] es su clave de acceso. Caduca en {min} min. No la comparta con nadie.',
      'step-up': '{app}[PIN] es su clave para confirmar. Caduca en {min} min. No la comparta con nadie.',
      transaction:
        '{app}[PIN] es su clave para pagar {amount} a {payee}. Caduca en {min} min. No la comparta con nadie.',
      enroll:
        '{app}[PIN] es su clave para validar este teléfono. Caduca en {min} min. No la comparta con nadie.',
      'short-transaction': '{app}[PIN]: {amount} a {payee}',
    },
    bound: {
      login: '{app}Su clave de acceso aparece al final. Caduca en {min} min. No la comparta con nadie.',
      'step-up':
        '{app}Su clave para confirmar aparece al final. Caduca en {min} min. No la comparta con nadie.',
      transaction: '{app}Su clave para pagar {amount} a {payee} aparece al final. No la comparta con nadie.',
      enroll:
        '{app}Su clave para validar este teléfono aparece al final. Caduca en {min} min. No la comparta con nadie.',
      'short-transaction': '{amount} a {payee}',
    },
  },

  it: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] è il tuo codice di accesso. Scade tra {min} min. Non comunicarlo a nessuno.',
      'step-up': '{app}[PIN] è il tuo codice di conferma. Scade tra {min} min. Non comunicarlo a nessuno.',
      transaction:
        '{app}[PIN] è il tuo codice per {amount} a {payee}. Scade tra {min} min. Non comunicarlo a nessuno.',
      enroll: '{app}[PIN] è il tuo codice per questo numero. Scade tra {min} min. Non comunicarlo a nessuno.',
      'short-transaction': '{app}[PIN]: {amount} a {payee}',
    },
    bound: {
      login:
        "{app}Il tuo codice di accesso è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
      'step-up':
        "{app}Il tuo codice di conferma è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
      transaction: "{app}Il tuo codice per {amount} a {payee} è nell'ultima riga. Non comunicarlo a nessuno.",
      enroll:
        "{app}Il tuo codice per questo numero è nell'ultima riga. Scade tra {min} min. Non comunicarlo a nessuno.",
      'short-transaction': '{amount} a {payee}',
    },
  },

  // Portugal and Brazil alike. "PIN" and not "código", "vem no fim" and not "está": ó and á would force UCS-2.
  pt: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] é o seu PIN de acesso. Expira em {min} min. Nunca o revele.',
      'step-up': '{app}[PIN] é o seu PIN para confirmar. Expira em {min} min. Nunca o revele.',
      transaction:
        '{app}[PIN] é o seu PIN para pagar {amount} a {payee}. Expira em {min} min. Nunca o revele.',
      enroll: '{app}[PIN] é o seu PIN para validar este telefone. Expira em {min} min. Nunca o revele.',
      'short-transaction': '{app}[PIN]: {amount} a {payee}',
    },
    bound: {
      login: '{app}O seu PIN de acesso vem no fim. Expira em {min} min. Nunca o revele.',
      'step-up': '{app}O seu PIN para confirmar vem no fim. Expira em {min} min. Nunca o revele.',
      transaction: '{app}O seu PIN para pagar {amount} a {payee} vem no fim. Nunca o revele.',
      enroll: '{app}O seu PIN para validar este telefone vem no fim. Expira em {min} min. Nunca o revele.',
      'short-transaction': '{amount} a {payee}',
    },
  },

  nl: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] is je inlogcode. Verloopt over {min} min. Deel de code met niemand.',
      'step-up': '{app}[PIN] is je bevestigingscode. Verloopt over {min} min. Deel de code met niemand.',
      transaction:
        '{app}[PIN] is je code voor {amount} aan {payee}. Verloopt over {min} min. Deel de code met niemand.',
      enroll: '{app}[PIN] is je code voor dit nummer. Verloopt over {min} min. Deel de code met niemand.',
      'short-transaction': '{app}[PIN]: {amount} aan {payee}',
    },
    bound: {
      login:
        '{app}Je inlogcode staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
      'step-up':
        '{app}Je bevestigingscode staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
      transaction:
        '{app}Je code voor {amount} aan {payee} staat op de laatste regel. Deel de code met niemand.',
      enroll:
        '{app}Je code voor dit nummer staat op de laatste regel. Verloopt over {min} min. Deel de code met niemand.',
      'short-transaction': '{amount} aan {payee}',
    },
  },

  // Words without ą, ć, ę, ł, ń, ó, ś, ź, ż: they would force UCS-2.
  pl: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] to kod logowania. Wygasa za {min} min. Nie podawaj go nikomu.',
      'step-up': '{app}[PIN] to kod potwierdzenia. Wygasa za {min} min. Nie podawaj go nikomu.',
      transaction: '{app}[PIN] to kod na {amount} dla {payee}. Wygasa za {min} min. Nie podawaj go nikomu.',
      enroll: '{app}[PIN] to kod dla tego numeru. Wygasa za {min} min. Nie podawaj go nikomu.',
      'short-transaction': '{app}[PIN]: {amount} dla {payee}',
    },
    bound: {
      login: '{app}Kod logowania jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
      'step-up':
        '{app}Kod potwierdzenia jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
      transaction: '{app}Kod na {amount} dla {payee} jest w ostatnim wierszu. Nie podawaj go nikomu.',
      enroll: '{app}Kod dla tego numeru jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
      'short-transaction': '{amount} dla {payee}',
    },
  },

  // Words without ç, ğ, ı, İ, ş: they would force UCS-2.
  tr: {
    opening: '{name}: ',
    plain: {
      login: '{app}Oturum kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
      'step-up': '{app}Onay kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
      transaction:
        '{app}Ödeme kodunuz: [PIN]. Tutar: {amount}, alan: {payee}. Süre: {min} dakika. Kodu kimseye vermeyin.',
      enroll: '{app}Telefon onay kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
      'short-transaction': '{app}[PIN]: {amount}, alan: {payee}',
    },
    bound: {
      login: '{app}Oturum kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
      'step-up': '{app}Onay kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
      transaction: '{app}Ödeme kodunuz en altta. Tutar: {amount}, alan: {payee}. Kodu kimseye vermeyin.',
      enroll: '{app}Telefon onay kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
      'short-transaction': '{amount}, alan: {payee}',
    },
  },

  sv: {
    opening: '{name}: ',
    plain: {
      login: '{app}[PIN] är din inloggningskod. Den gäller i {min} min. Dela den aldrig.',
      'step-up': '{app}[PIN] är din bekräftelsekod. Den gäller i {min} min. Dela den aldrig.',
      transaction:
        '{app}[PIN] är din kod för {amount} till {payee}. Den gäller i {min} min. Dela den aldrig.',
      enroll: '{app}[PIN] är din kod för det här numret. Den gäller i {min} min. Dela den aldrig.',
      'short-transaction': '{app}[PIN]: {amount} till {payee}',
    },
    bound: {
      login: '{app}Din inloggningskod står på sista raden. Den gäller i {min} min. Dela den aldrig.',
      'step-up': '{app}Din bekräftelsekod står på sista raden. Den gäller i {min} min. Dela den aldrig.',
      transaction: '{app}Din kod för {amount} till {payee} står på sista raden. Dela den aldrig.',
      enroll: '{app}Din kod för det här numret står på sista raden. Den gäller i {min} min. Dela den aldrig.',
      'short-transaction': '{amount} till {payee}',
    },
  },

  // No bidi marks: they break parsers of the last line.
  ar: {
    opening: '{name}: ',
    plain: {
      login: '{app}رمز الدخول [PIN]. صالح {min} د. لا تشاركه.',
      'step-up': '{app}رمز التأكيد [PIN]. صالح {min} د. لا تشاركه.',
      transaction: '{app}رمز دفع {amount} إلى {payee}: [PIN]. لا تشاركه.',
      enroll: '{app}رمز هذا الرقم [PIN]. صالح {min} د. لا تشاركه.',
      'short-transaction': '{app}[PIN]: {amount} إلى {payee}',
    },
    bound: {
      login: '{app}رمز الدخول أدناه. لا تشاركه.',
      'step-up': '{app}رمز التأكيد أدناه. لا تشاركه.',
      transaction: 'دفع {amount} إلى {payee}. الرمز أدناه.',
      enroll: '{app}رمز هذا الرقم أدناه. لا تشاركه.',
      'short-transaction': '{amount} إلى {payee}',
    },
  },

  ja: {
    opening: '【{name}】',
    plain: {
      login: '{app}ログインコードは[PIN]です。{min}分間有効。他人に教えないでください。',
      'step-up': '{app}確認コードは[PIN]です。{min}分間有効。他人に教えないでください。',
      transaction: '{app}{payee}への{amount}の承認コードは[PIN]です。他人に教えないでください。',
      enroll: '{app}電話番号の確認コードは[PIN]です。{min}分間有効。他人に教えないでください。',
      'short-transaction': '{app}[PIN] {payee}へ{amount}',
    },
    bound: {
      login: '{app}ログインコードは下にあります。他人に教えないでください。',
      'step-up': '{app}確認コードは下にあります。他人に教えないでください。',
      transaction: '{payee}へ{amount}。コードは下にあります。',
      enroll: '{app}番号確認コードは下にあります。他人に教えないでください。',
      'short-transaction': '{payee}へ{amount}',
    },
  },

  'zh-Hans': {
    opening: '【{name}】',
    plain: {
      login: '{app}登录验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
      'step-up': '{app}身份验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
      transaction: '{app}向{payee}付款{amount}的验证码：[PIN]。请勿告知他人。',
      enroll: '{app}绑定手机验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
      'short-transaction': '{app}[PIN] 向{payee}付款{amount}',
    },
    bound: {
      login: '{app}登录验证码见末行，{min}分钟内有效。请勿告知他人。',
      'step-up': '{app}身份验证码见末行，{min}分钟内有效。请勿告知他人。',
      transaction: '向{payee}付款{amount}，验证码见末行。请勿告知他人。',
      enroll: '{app}绑定手机验证码见末行，{min}分钟内有效。请勿告知他人。',
      'short-transaction': '向{payee}付款{amount}',
    },
  },

  ko: {
    opening: '{name}: ',
    plain: {
      login: '{app}로그인 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
      'step-up': '{app}본인 확인 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
      transaction: '{app}받는 분: {payee}, 금액: {amount}, 인증번호 [PIN]. 타인에게 알려주지 마세요.',
      enroll: '{app}휴대폰 등록 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
      'short-transaction': '{app}[PIN]: {payee}, {amount}',
    },
    bound: {
      login: '{app}로그인 인증번호는 아래에 있습니다. 공유하지 마세요.',
      'step-up': '{app}본인 확인 번호는 아래에 있습니다. 공유하지 마세요.',
      transaction: '받는 분: {payee}, 금액: {amount}. 인증번호는 아래에 있습니다.',
      enroll: '{app}휴대폰 등록 번호는 아래에 있습니다. 공유하지 마세요.',
      'short-transaction': '{payee}, {amount}',
    },
  },

  ru: {
    opening: '{name}: ',
    plain: {
      login: '{app}Код входа [PIN] на {min} мин. Никому не сообщайте.',
      'step-up': '{app}Код операции [PIN] на {min} мин. Никому не сообщайте.',
      transaction: '{app}Код [PIN] для {amount}, {payee}. Никому не сообщайте.',
      enroll: '{app}Код номера [PIN] на {min} мин. Никому не сообщайте.',
      'short-transaction': '{app}[PIN]: {amount}, {payee}',
    },
    bound: {
      login: '{app}Код входа ниже. Это секрет.',
      'step-up': '{app}Код операции ниже. Это секрет.',
      transaction: '{amount}, {payee}. Код ниже.',
      enroll: '{app}Код номера ниже. Это секрет.',
      'short-transaction': '{amount}, {payee}',
    },
  },

  hi: {
    opening: '{name}: ',
    plain: {
      login: '{app}लॉगिन कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
      'step-up': '{app}पुष्टि कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
      transaction: '{app}{payee} को {amount} का कोड [PIN] है। गोपनीय रखें।',
      enroll: '{app}नंबर का कोड [PIN], {min} मिनट तक मान्य। गोपनीय रखें।',
      'short-transaction': '{app}[PIN]: {payee} को {amount}',
    },
    bound: {
      login: '{app}लॉगिन कोड नीचे है। गोपनीय रखें।',
      'step-up': '{app}पुष्टि कोड नीचे है। गोपनीय रखें।',
      transaction: '{payee} को {amount}। कोड नीचे है।',
      enroll: '{app}नंबर का कोड नीचे है। गोपनीय रखें।',
      'short-transaction': '{payee} को {amount}',
    },
  },
};
