import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound texts leave the minutes out, and of transactions the name; the last line has the host.
export const ko: LocaleTexts = {
  opening: '{name}: ',
  plain: {
    login: '{app}로그인 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
    'step-up': '{app}본인 확인 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
    transaction: '{app}받는 분: {payee}, 금액: {amount}, 인증번호 [PIN]. 타인에게 알려주지 마세요.',
    enrol: '{app}휴대폰 등록 인증번호 [PIN]. {min}분간 유효. 타인에게 알려주지 마세요.',
    'short-transaction': '{app}[PIN]: {payee}, {amount}',
  },
  bound: {
    login: '{app}로그인 인증번호는 아래에 있습니다. 공유하지 마세요.',
    'step-up': '{app}본인 확인 번호는 아래에 있습니다. 공유하지 마세요.',
    transaction: '받는 분: {payee}, 금액: {amount}. 인증번호는 아래에 있습니다.',
    enrol: '{app}휴대폰 등록 번호는 아래에 있습니다. 공유하지 마세요.',
    'short-transaction': '{payee}, {amount}',
  },
};
