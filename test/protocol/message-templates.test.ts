import { describe, expect, it } from '@jest/globals';
import { measureTemplate } from '../../src/protocol/message-length';

/**
 * Language, plain text, its units and limit, text before the autofill line, units with a short and
 * with a long host.
 */
const TEMPLATES: readonly (readonly [string, string, number, number, string, number, number])[] = [
  [
    'en',
    '{app}: [PIN] is your sign-in code. It expires in {min} min. Never share it.',
    75,
    160,
    '{app} sign-in code on the last line. It expires in {min} min. Never share it.',
    97,
    105,
  ],
  [
    'de',
    '{app}: Ihr Anmeldecode lautet [PIN]. Gültig für {min} Min. Geben Sie ihn niemals weiter.',
    88,
    160,
    '{app}: Ihr Anmeldecode steht in der letzten Zeile. Gültig für {min} Min. Geben Sie ihn niemals weiter.',
    122,
    130,
  ],
  [
    'fr',
    '{app} : votre code de connexion est [PIN]. Il expire dans {min} min. Ne le communiquez à personne.',
    98,
    160,
    '{app} : votre code de connexion est en dernière ligne. Il expire dans {min} min. Ne le communiquez à personne.',
    130,
    138,
  ],
  [
    'es',
    '{app}: su clave de acceso es [PIN]. Caduca en {min} min. No la comparta con nadie.',
    82,
    160,
    '{app}: su clave de acceso aparece al final. Caduca en {min} min. No la comparta con nadie.',
    110,
    118,
  ],
  [
    'it',
    '{app}: il tuo codice di accesso è [PIN]. Scade tra {min} min. Non comunicarlo a nessuno.',
    88,
    160,
    '{app}: il tuo codice di accesso è in fondo al messaggio. Scade tra {min} min. Non comunicarlo a nessuno.',
    124,
    132,
  ],
  [
    'pt',
    '{app}: o seu PIN de acesso é [PIN]. Expira em {min} min. Nunca o partilhe.',
    74,
    160,
    '{app}: o seu PIN de acesso vem no fim. Expira em {min} min. Nunca o partilhe.',
    97,
    105,
  ],
  [
    'nl',
    '{app}: je inlogcode is [PIN]. Deze vervalt over {min} min. Deel de code met niemand.',
    84,
    160,
    '{app}: je inlogcode staat op de laatste regel. Deze vervalt over {min} min. Deel de code met niemand.',
    121,
    129,
  ],
  [
    'pl',
    '{app}: kod logowania to [PIN]. Wygasa za {min} min. Nie podawaj go nikomu.',
    74,
    160,
    '{app}: kod logowania jest w ostatnim wierszu. Wygasa za {min} min. Nie podawaj go nikomu.',
    109,
    117,
  ],
  [
    'tr',
    '{app} kodunuz: [PIN]. Süre: {min} dakika. Kodu kimseye vermeyin.',
    64,
    160,
    '{app} kodunuz en altta. Süre: {min} dakika. Kodu kimseye vermeyin.',
    86,
    94,
  ],
  [
    'sv',
    '{app}: din inloggningskod är [PIN]. Den gäller i {min} min. Dela den aldrig.',
    76,
    160,
    '{app}: din inloggningskod står sist. Den gäller i {min} min. Dela den aldrig.',
    97,
    105,
  ],
  [
    'ar',
    '{app}: رمز الدخول [PIN]. صالح لمدة {min} دقائق. لا تشاركه.',
    58,
    70,
    '{app}: رمز الدخول أدناه. لا تشاركه.',
    58,
    66,
  ],
  [
    'ja',
    '{app}の認証コードは[PIN]です。{min}分間有効。他人に教えないでください。',
    43,
    70,
    '{app}の認証コード({min}分間有効)。他人に教えないでください。',
    56,
    64,
  ],
  [
    'zh-Hans',
    '{app}登录验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
    35,
    70,
    '{app}登录验证码见末行，{min}分钟内有效。请勿告知他人。',
    52,
    60,
  ],
  [
    'ko',
    '{app} 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
    44,
    70,
    '{app} 인증번호({min}분간 유효). 타인에게 알려주지 마세요.',
    58,
    66,
  ],
  [
    'ru',
    '{app}: код входа [PIN]. Действует {min} мин. Никому не сообщайте.',
    65,
    70,
    '{app}: код ниже. Никому не сообщайте.',
    60,
    68,
  ],
  [
    'hi',
    '{app} लॉगिन कोड [PIN]. {min} मिनट तक मान्य. किसी को न बताएँ.',
    60,
    70,
    '{app} लॉगिन कोड नीचे. किसी को न बताएँ.',
    61,
    69,
  ],
];

/** The example all counts are for: this application, ten minutes, a pin of six digits. */
function fill(template: string): string {
  return template.replace('{app}', 'Example').replace('{min}', '10');
}

describe.each(TEMPLATES)(
  'the text in %s',
  (_language, plain, units, limit, head, shortHost, longHost) => {
    it('fits one message', () => {
      expect(measureTemplate(fill(plain), 6)).toMatchObject({ units, limit, problem: null });
    });

    it.each([
      ['example.com', shortHost],
      ['login.example.co.uk', longHost],
    ])('fits one message with the line @%s', (host, unitsWithHost) => {
      const size = measureTemplate(`${fill(head)}\n@${host} #[PIN]`, 6);
      expect(size).toMatchObject({ units: unitsWithHost, limit, problem: null });
    });
  },
);
