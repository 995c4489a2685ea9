// WebOTP: the browser reads the code out of a text that ends with "@this-host #code", and asks before it hands it over.
const form = document.querySelector('form[data-web-otp]');

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
