// While the user types, one step back undoes it all, and focus stays.
let isTyping = false;
const byId = (id) => document.getElementById(id);

const ticked = () =>
  [...document.querySelectorAll('#results [name="handle"]:checked')].map(({ value }) => value);
function withTicks(address) {
  const { pathname, searchParams } = new URL(address, location.href);
  searchParams.delete('handle');
  for (const handle of ticked()) searchParams.append('handle', handle);
  return pathname + (searchParams.size > 0 ? `?${searchParams}` : '');
}
const isSearch = ({ pathname, origin }) => pathname === '/agents' && origin === location.origin;
document.addEventListener(
  'click',
  ({ target }) => {
    const link = target.closest('main a[href]');
    if (link && isSearch(link)) link.href = withTicks(link.href);
  },
  true,
);
// The button leaves the page, although it belongs to the search form.
document.addEventListener(
  'submit',
  (event) => {
    if (event.submitter?.hasAttribute('formaction')) event.stopImmediatePropagation();
  },
  true,
);

// Each search has one address.
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  const words = ctx.request.body?.get('q')?.replace(/\s+/g, ' ').trim();
  if (words) ctx.request.body.set('q', words);
  else ctx.request.body?.delete('q');
  ctx.request.action = withTicks(ctx.request.action);
  ctx.request.body?.delete('handle');
});

// The first result of typing is a new step of the history, which the next ones replace.
document.addEventListener('htmx:before:history:update', ({ detail: { history: step, sourceElement } }) => {
  step.path = withTicks(step.path);
  const isSame = step.path === location.pathname + location.search;
  if (sourceElement.id === 'search' && !isTyping && !isSame) step.type = 'push';
  isTyping = sourceElement.id === 'search' && document.activeElement === byId('q');
});
for (const left of ['focusout', 'htmx:before:history:restore'])
  document.addEventListener(left, () => {
    isTyping = false;
  });

// Moves focus to the first added listing, or to the count if what had focus is gone.
document.addEventListener('htmx:after:settle', ({ detail: { task, newContent } }) => {
  const added = task.target.id === 'list' && newContent.find((node) => node.nodeType === Node.ELEMENT_NODE);
  if (added) added.querySelector('a').focus({ preventScroll: true });
  else if (document.activeElement === document.body) byId('count')?.focus({ preventScroll: true });
});

// The listings are still those of the previous search.
for (const failed of ['htmx:response:error', 'htmx:error'])
  document.addEventListener(failed, ({ detail: { ctx } }) => {
    if (ctx) byId('count').textContent = 'No answer came to the last search.';
  });
