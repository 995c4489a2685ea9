// Everything here is optional: without this script every page works except those of passkeys.
(() => {
  'use strict';

  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const setDisabled = (buttons, isDisabled) => {
    for (const button of buttons) button.disabled = isDisabled;
  };

  // Allow one submit for each form, however often the button or the Enter key is pressed: a second
  // one would find a used code or an ended login.
  const submitted = new WeakSet();
  document.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    if (submitted.has(event.target)) return event.preventDefault();
    submitted.add(event.target);
    setDisabled(findAll('button', event.target), true);
  });

  // After "Back", the browser may show this page as it was left, with its buttons disabled.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) window.location.reload();
  });

  function writeClock(seconds) {
    const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
    if (parts[0] === 0) parts.shift();
    return parts.map((part, at) => (at === 0 ? part : String(part).padStart(2, '0'))).join(':');
  }

  /** Counts down to the next message. Without it the server answers "too soon". */
  function countDown(resend) {
    const text = find('[data-wait-text]', resend);
    const ready = find('[data-wait-over]', resend);
    const buttons = findAll('button', resend);
    const readyAtMs = performance.now() + Number(resend.dataset.wait) * 1000;
    if (!text) return;
    setDisabled(buttons, true);
    const timer = setInterval(() => {
      const secondsLeft = Math.ceil((readyAtMs - performance.now()) / 1000);
      find('bdi', text).textContent = writeClock(Math.max(0, secondsLeft));
      if (secondsLeft > 0) return;
      clearInterval(timer);
      setDisabled(buttons, false);
      text.hidden = true;
      // Have it read aloud once, at the end.
      ready.textContent = ready.dataset.waitOver;
    }, 250);
  }

  /**
   * Reads a pasted message: its only number of four to ten digits is the code. The number may
   * appear twice, because the last line repeats it for browsers. With several different numbers the
   * paste is not changed.
   */
  function readCode(message) {
    const runs = message.normalize('NFKC').match(/\d+/g) ?? [];
    const codes = new Set(runs.filter((run) => run.length >= 4 && run.length <= 10));
    return /\p{L}/u.test(message) && codes.size === 1 ? Array.from(codes)[0] : null;
  }

  function fillIn(form) {
    const field = form.elements[form.dataset.webOtp];
    field.addEventListener('paste', (event) => {
      const code = readCode(event.clipboardData?.getData('text') ?? '');
      if (code === null) return;
      event.preventDefault();
      field.value = code;
    });
    if ('OTPCredential' in window) waitForMessage(form, field);
  }

  /**
   * Uses WebOTP: the browser reads the code from a message that ends with "@this-host #code", and
   * asks the user before it passes the code on.
   */
  function waitForMessage(form, field) {
    const waiting = new AbortController();
    form.addEventListener('submit', () => waiting.abort());
    navigator.credentials
      .get({ otp: { transport: ['sms'] }, signal: waiting.signal })
      .then((credential) => {
        if (!credential?.code) return;
        field.value = credential.code;
        form.requestSubmit();
      })
      .catch(() => {
        // Declined, timed out, or aborted by the submit: the user types the code.
      });
  }

  function toBytes(base64url) {
    const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  }

  function toText(buffer) {
    const text = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  /** Requests a passkey of the options' list with the browser's own API. */
  async function getPasskey(options) {
    const toDescriptor = (credential) => ({ ...credential, id: toBytes(credential.id) });
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON?.(options) ?? {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: (options.allowCredentials ?? []).map(toDescriptor),
    };
    return toJson(await navigator.credentials.get({ publicKey }));
  }

  /** Returns the same as `credential.toJSON`, for browsers and password managers without it. */
  function toJson(credential) {
    try {
      return credential.toJSON();
    } catch {
      const { id, type, response } = credential;
      const names = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];
      const found = names.filter((name) => response[name]);
      return {
        id,
        rawId: id,
        type,
        clientExtensionResults: {},
        response: Object.fromEntries(found.map((name) => [name, toText(response[name])])),
      };
    }
  }

  /**
   * Handles a challenge: gets its options, asks the browser, and posts the answer with the form.
   */
  async function answerChallenge(form) {
    const failed = find('[data-failed]', form);
    const buttons = findAll('button', form);
    failed.hidden = true;
    setDisabled(buttons, true);
    try {
      const body = new URLSearchParams(new FormData(form));
      const headers = { Accept: 'application/json' };
      const answer = await fetch(form.dataset.challenge, { method: 'POST', body, headers });
      // The page gives the reason: the login has ended, or the user must wait.
      if (!answer.ok || answer.redirected) return window.location.reload();
      const response = await getPasskey(await answer.json());
      form.elements[form.dataset.field].value = JSON.stringify(response);
      form.submit();
    } catch {
      // Cancelled, timed out, or no passkey for this site.
      failed.hidden = false;
      setDisabled(buttons, false);
    }
  }

  function offerChallenge(form) {
    if (!('PublicKeyCredential' in window)) return;
    form.hidden = false;
    find('[data-missing]').hidden = true;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void answerChallenge(form);
    });
  }

  async function copyCodes(button) {
    const lines = findAll('.codes code').map((code) => `${code.textContent}\n`);
    await navigator.clipboard.writeText(lines.join(''));
    button.textContent = button.dataset.copy;
    find('[data-copy-status]').textContent = button.dataset.copy;
  }

  /** Shows times in the user's time zone. */
  function showLocalTime(element) {
    const format = { dateStyle: 'medium', timeStyle: 'short' };
    const locale = `${document.documentElement.lang}-u-nu-latn`;
    element.textContent = new Intl.DateTimeFormat(locale, format).format(
      new Date(element.dateTime),
    );
  }

  for (const resend of findAll('[data-wait]')) countDown(resend);
  for (const form of findAll('[data-web-otp]')) fillIn(form);
  for (const form of findAll('[data-challenge]')) offerChallenge(form);
  for (const element of findAll('time[datetime]')) showLocalTime(element);
  for (const element of findAll('[data-with-script]')) element.hidden = false;
  for (const button of findAll('[data-print]'))
    button.addEventListener('click', () => window.print());
  for (const button of findAll('[data-copy]'))
    button.addEventListener('click', () => void copyCodes(button));
})();
