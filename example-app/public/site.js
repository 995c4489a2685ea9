// Everything here is a convenience: every page works without it.

// One submit for each form, however often the button or the Enter key is pressed: a second one
// would meet a code that is used up, or a session that is over.
for (const form of document.querySelectorAll('form[data-submit-once]')) {
  form.addEventListener('submit', () => {
    form.querySelector('button').disabled = true;
  });
}

// Back from the next page, the browser may show this one as it was left: with the button off.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload();
});

// Counts down to the next text. Without this the buttons always work, and the server answers "too
// soon".
const resend = document.querySelector('[data-resend-seconds]');
const wait = resend?.querySelector('[data-resend-wait]');

if (resend && wait) {
  const buttons = resend.querySelectorAll('button');
  const number = wait.querySelector('span');
  const ready = resend.querySelector('[data-resend-ready]');
  const readyAtMs = performance.now() + Number(resend.dataset.resendSeconds) * 1000;
  for (const button of buttons) button.disabled = true;

  const timer = setInterval(() => {
    const secondsLeft = Math.ceil((readyAtMs - performance.now()) / 1000);
    number.textContent = String(Math.max(0, secondsLeft));
    if (secondsLeft > 0) return;
    clearInterval(timer);
    for (const button of buttons) button.disabled = false;
    wait.hidden = true;
    // Said once, at the end: no one wants each second read aloud.
    ready.textContent = ready.dataset.resendReady;
  }, 250);
}

// A pasted text message: its only number of four to ten digits is the code, which may stand there
// twice: the line for browsers at the end names it as well. With several numbers the paste stays as
// it is.
const form = document.querySelector('form[data-web-otp]');

form?.elements.pin.addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text').normalize('NFKC') ?? '';
  const runs = text.match(/\d+/g)?.filter((run) => run.length >= 4 && run.length <= 10) ?? [];
  const [code, ...others] = new Set(runs);
  if (!/\p{L}/u.test(text) || code === undefined || others.length > 0) return;
  event.preventDefault();
  form.elements.pin.value = code;
});

// WebOTP: the browser reads the code out of a text that ends with "@this-host #code", and asks
// before it hands it over.
if (form && 'OTPCredential' in window) {
  const waiting = new AbortController();
  form.addEventListener('submit', () => waiting.abort());
  navigator.credentials
    .get({ otp: { transport: ['sms'] }, signal: waiting.signal })
    .then((credential) => {
      if (!credential?.code) return;
      form.elements.pin.value = credential.code;
      form.requestSubmit();
    })
    .catch(() => {
      // Declined, timed out, or aborted by the submit: the person types the code.
    });
}

// Copy and print, for recovery codes.
for (const element of document.querySelectorAll('.with-script')) element.hidden = false;

document.querySelector('[data-print]')?.addEventListener('click', () => window.print());

const copy = document.querySelector('[data-copy]');
copy?.addEventListener('click', async () => {
  const lines = Array.from(
    document.querySelectorAll(copy.dataset.copy),
    (element) => element.textContent,
  );
  await navigator.clipboard.writeText(`${lines.join('\n')}\n`);
  copy.textContent = copy.dataset.copied;
  document.querySelector('[data-copy-status]').textContent = copy.dataset.copied;
});
