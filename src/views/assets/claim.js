// Counts down to the next check of a claim; the check itself is htmx's.
function count() {
  for (const left of document.querySelectorAll('[data-countdown]')) {
    left.dataset.ends ??= String(Date.now() + Number(left.dataset.countdown) * 1000);
    left.textContent = String(Math.max(0, Math.round((Number(left.dataset.ends) - Date.now()) / 1000)));
  }
}
count();
setInterval(count, 1000);
