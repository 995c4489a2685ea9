// One submit for each form, however often the button or the Enter key is pressed: a second one would meet a code that
// is used up, or a session that is over.
for (const form of document.querySelectorAll('form[data-submit-once]')) {
  form.addEventListener('submit', () => {
    form.querySelector('button').disabled = true;
  });
}

// Back from the next page, the browser may show this one as it was left: with the button off.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload();
});
