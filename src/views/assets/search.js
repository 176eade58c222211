// What attributes cannot say of searching as you type: one step back undoes what was typed, and focus is
// never lost.
let isTyping = false;
const byId = (id) => document.getElementById(id);

// What is ticked to be compared stays ticked, whatever is searched for next.
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
// The button that compares is one of the search form, and leaves the page.
document.addEventListener(
  'submit',
  (event) => {
    if (event.submitter?.hasAttribute('formaction')) event.stopImmediatePropagation();
  },
  true,
);

// Blanks more or less are the same search, and an emptied field is none: each search has one address.
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  const words = ctx.request.body?.get('q')?.replace(/\s+/g, ' ').trim();
  if (words) ctx.request.body.set('q', words);
  else ctx.request.body?.delete('q');
  ctx.request.action = withTicks(ctx.request.action);
  ctx.request.body?.delete('handle');
});

// The first result of what is typed is a new step in history, the next ones replace it.
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

// Focus goes on to the first listing that was added, or to the count where what had it is gone.
document.addEventListener('htmx:after:settle', ({ detail: { task, newContent } }) => {
  const added = task.target.id === 'list' && newContent.find((node) => node.nodeType === Node.ELEMENT_NODE);
  if (added) added.querySelector('a').focus({ preventScroll: true });
  else if (document.activeElement === document.body) byId('count')?.focus({ preventScroll: true });
});

// The listings that stay are those of the search before.
for (const failed of ['htmx:response:error', 'htmx:error'])
  document.addEventListener(failed, ({ detail: { ctx } }) => {
    if (ctx) byId('count').textContent = 'No answer came to the last search.';
  });
