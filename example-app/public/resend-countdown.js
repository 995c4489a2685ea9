// Counts down to the next code. Without this script the button always works, and the server answers "too soon".
const form = document.querySelector('form[data-resend-seconds]');
const wait = form?.querySelector('[data-resend-wait]');

if (form && wait) {
  const button = form.querySelector('button');
  const number = wait.querySelector('span');
  const ready = form.querySelector('[data-resend-ready]');
  const readyAtMs = performance.now() + Number(form.dataset.resendSeconds) * 1000;
  button.disabled = true;

  const timer = setInterval(() => {
    const secondsLeft = Math.ceil((readyAtMs - performance.now()) / 1000);
    number.textContent = String(Math.max(0, secondsLeft));
    if (secondsLeft > 0) return;
    clearInterval(timer);
    button.disabled = false;
    wait.hidden = true;
    // Said once, at the end: nobody wants each second read aloud.
    ready.textContent = ready.dataset.resendReady;
  }, 250);
}
