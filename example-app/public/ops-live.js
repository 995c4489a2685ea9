// Keeps the figures fresh. Without this script the page shows them as they were when it was loaded.
const figures = document.querySelector('[data-live]');
const EVERY_MS = 2000;

async function refresh() {
  if (document.hidden) return;
  try {
    const response = await fetch(figures.dataset.live, { redirect: 'error' });
    if (response.ok) figures.innerHTML = await response.text();
  } catch {
    // The server is away, or the login is over: what is shown stays until it is back or the page is loaded again.
  }
}

if (figures) setInterval(refresh, EVERY_MS);
