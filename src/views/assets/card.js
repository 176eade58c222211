// The card in a host of MCP Apps (protocol 2026-01-26): only JSON-RPC to the window around it, which opens
// addresses.
const words = JSON.parse(document.getElementById('words').textContent);
const card = document.getElementById('card');
const waiting = new Map();
let host = {};
let asked = 0;

const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const request = (method, params) => {
  asked += 1;
  post({ id: asked, method, params });
  return new Promise((resolve) => waiting.set(asked, resolve));
};

const el = (name, className, ...inside) => {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...inside.flat(Infinity).filter((part) => part !== undefined && part !== ''));
  return node;
};
const plain = (name) => String(name).replaceAll('_', ' ');
const plural = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;
const opens = (url, text) => {
  const button = el('button', 'link', text);
  button.type = 'button';
  button.addEventListener('click', () => request('ui/open-link', { url }));
  return button;
};
const quote = (text) => el('span', 'foreign', text);
// None in the text may end the quote.
const marks = new RegExp(words.marks, 'gu');
const quoted = (text) => quote(`“${text.replaceAll(marks, "'")}”`);
// As on the page, only plain https is a link.
const isPlain = (url) => /^https:\/\/[^\s/?#@\\{}]+([/?#][^\s\\]*)?$/i.test(url);
const foreign = (url) => (isPlain(url) && host.openLinks ? opens(url, url) : quote(url));
const ours = (url, text) => (host.openLinks ? opens(url, text) : el('span', '', `${text}: ${url}`));

const fact = (name, ...value) => el('div', '', el('dt', '', name), el('dd', '', ...value));
const part = (className, title, ...inside) => el('section', className, el('h2', '', title), ...inside);

/** No day breaks at its hyphens. */
const dated = (text) =>
  text.split(/\b(\d{4}-\d\d-\d\d)\b/).map((part, at) => (at % 2 === 1 ? el('time', '', part) : part));
/** Others wrote what is in “ ” and between backticks. */
const marked = (text) =>
  text.split(/(“[^”]*”|`[^`]*`)/).map((part, at) => {
    if (at % 2 === 0) return dated(part);
    return part.startsWith('“') ? quote(part) : foreign(part.slice(1, -1));
  });
const lineFact = ([name, title], texts) => (texts[name] ? fact(title, marked(texts[name])) : '');

/** As the page does, says first what is not checked, if nothing is. */
const linesOf = ({ checked }) =>
  words.lines.toSorted(([one], [other]) =>
    checked ? 0 : Number(other === 'unchecked') - Number(one === 'unchecked'),
  );

const addresses = [
  ['endpoint', 'Endpoint'],
  ['repository', 'Repository'],
];

/** As the page of the listing has it. Its links lead there, if the host opens addresses. */
const drawn = (figure) => {
  const { firstElementChild: shown } = new DOMParser().parseFromString(figure, 'text/html').body;
  for (const link of shown.querySelectorAll('a')) {
    const { href } = new URL(link.getAttribute('href'), words.pages);
    if (host.openLinks) link.setAttribute('href', href);
    else link.removeAttribute('href');
    link.addEventListener('click', (event) => {
      event.preventDefault();
      return host.openLinks && request('ui/open-link', { url: href });
    });
  }
  return shown;
};

const listingCard = (listing, pictures) => {
  const { signals, lines = {} } = listing;
  const kept_up = [signals.imported, lines.kept_up].filter(Boolean).join(' ');
  const texts = { ...listing, ...lines, kept_up, rated: signals.native };
  return [
    listing.sample ? el('p', 'note', 'Sample') : '',
    el('h1', '', listing.handle),
    el('p', '', listing.title ? [quoted(listing.title), ': '] : '', quoted(listing.description)),
    (listing.notes ?? []).map((note) => el('p', '', marked(note))),
    (listing.stands_out ?? []).map((text) => el('p', 'statement', marked(text))),
    pictures.map(drawn),
    listing.markdown
      ? el('p', 'text', listing.markdown)
      : el(
          'dl',
          'facts',
          addresses.map(([name, title]) => (listing[name] ? fact(title, foreign(listing[name])) : '')),
          linesOf(listing).map((line) => lineFact(line, texts)),
        ),
    el(
      'p',
      'snapshot',
      dated(`The ratings were counted on ${listing.evidence_snapshot_date}. ${listing.statement}`),
    ),
    listing.checked ? el('p', 'note', dated(`Checked by Dossier: ${listing.checked}.`)) : '',
    el('section', 'foot', ours(words.pages + listing.handle, 'The whole listing')),
  ];
};

/** A criterion is named as `criterion` or `criterion:value`. */
const question = (asked) => {
  const [, criterion, value] = /^(\w+)(?::(.*))?$/s.exec(asked);
  return (words.criteria[criterion] ?? plain(criterion))
    .replace('(s)', value === '1' ? '' : 's')
    .replace('{}', () => String(value ?? ''));
};

const comparedListing = (listing) => {
  const { handle, sample, stands_out = [], lines = {}, record = '' } = listing;
  const answers = Object.keys(words.kinds).flatMap((kind) => Object.entries(listing[kind] ?? {}));
  return part(
    'compared',
    sample ? `${handle} (sample)` : handle,
    answers.map(([asked, result]) =>
      el('p', '', el('span', `result ${result}`, words.results[result]), ` ${question(asked)}`),
    ),
    stands_out.map((text) => el('p', 'statement', marked(text))),
    el(
      'dl',
      'facts',
      words.lines.map((line) => lineFact(line, { ...listing, ...lines })),
      fact('Record', dated(record)),
    ),
  );
};

const comparisonCard = ({ listings, statement }) => {
  const known = listings.filter(({ problem }) => !problem);
  const unanswered = listings.filter(({ problem }) => problem);
  return [
    el('p', 'note', `Comparison of ${plural(known.length, 'listing')}`),
    unanswered.map(({ handle, problem }) =>
      el('p', '', el('span', 'handle', handle), `: ${problem.message}`),
    ),
    known.map(comparedListing),
    el('p', 'note', statement),
  ].flat();
};

const problemCard = ({ message, near = [] }) => [
  el('p', 'statement', message),
  near.length > 0 ? el('p', '', `Did you mean: ${near.join(', ')}`) : '',
];

const show = (...inside) => card.replaceChildren(...inside.flat(Infinity).filter(Boolean));

const dataCard = (data, pictures) => {
  if (data.error) return problemCard(data.error);
  return data.listings ? comparisonCard(data) : listingCard(data, pictures);
};

/** Some hosts give only the text, which may be JSON. */
const resultCard = ({ structuredContent, content = [] }) => {
  const pictures = content[0]?._meta?.['dossier/pictures'] ?? [];
  if (structuredContent) return dataCard(structuredContent, pictures);
  const { text } = content.find(({ type }) => type === 'text');
  return text.startsWith('{') ? dataCard(JSON.parse(text), pictures) : [el('p', 'text', text)];
};

const showResult = (result) => {
  try {
    show(resultCard(result));
  } catch {
    show(el('p', '', 'This answer cannot be shown.'));
  }
};

const takeContext = ({ theme } = {}) => {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
};

const notified = {
  'ui/notifications/tool-result': showResult,
  'ui/notifications/tool-cancelled': () =>
    show(el('p', '', 'The call was cancelled; there is nothing to show.')),
  'ui/notifications/host-context-changed': takeContext,
};
const answered = new Set(['ping', 'ui/resource-teardown']);

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  if (data.method === undefined) {
    waiting.get(data.id)?.(data.result ?? {});
    waiting.delete(data.id);
  } else if (data.id === undefined) notified[data.method]?.(data.params);
  else if (answered.has(data.method)) post({ id: data.id, result: {} });
  else post({ id: data.id, error: { code: -32601, message: 'Method not found' } });
});

let height = 0;
const reportSize = () => {
  const now = Math.ceil(document.body.getBoundingClientRect().height);
  if (now === height) return;
  height = now;
  post({ method: 'ui/notifications/size-changed', params: { width: innerWidth, height } });
};

const { hostCapabilities = {}, hostContext } = await request('ui/initialize', {
  appInfo: { name: words.service, version: words.version },
  appCapabilities: { availableDisplayModes: ['inline'] },
  protocolVersion: '2026-01-26',
});
host = hostCapabilities;
takeContext(hostContext);
post({ method: 'ui/notifications/initialized' });
new ResizeObserver(reportSize).observe(document.body);
