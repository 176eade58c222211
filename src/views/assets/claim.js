// Counts down to the next check, which htmx requests.
function count() {
  for (const left of document.querySelectorAll('[data-countdown]')) {
    left.dataset.ends ??= String(Date.now() + Number(left.dataset.countdown) * 1000);
    const left_s = Math.round((Number(left.dataset.ends) - Date.now()) / 1000);
    if (left_s > -5) left.textContent = String(Math.max(0, left_s));
    else left.closest('p').textContent = 'The last check got no answer. This page asks again every minute.';
  }
}
count();
setInterval(count, 1000);
