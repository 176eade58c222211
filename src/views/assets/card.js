// The card in a host of MCP Apps (protocol 2026-01-26): JSON-RPC with the window around it, nothing else. What others
// wrote becomes text nodes only; addresses are opened by the host, never from here.
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
  node.append(...inside.flat().filter((part) => part !== undefined && part !== ''));
  return node;
};
const plain = (name) => String(name).replaceAll('_', ' ');
const day = (time) => el('time', '', String(time ?? '').slice(0, 10));
const plural = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;
const listed = (counts) =>
  Object.entries(counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

const opens = (url, text) => {
  const button = el('button', 'link', text);
  button.type = 'button';
  button.addEventListener('click', () => request('ui/open-link', { url }));
  return button;
};
// As on the page: an address that somebody else wrote can be followed when it is plain https.
const isPlain = (url) => /^https:\/\/[^\s/?#@\\{}]+([/?#][^\s\\]*)?$/i.test(url);
const foreign = (url) => (isPlain(url) && host.openLinks ? opens(url, url) : el('span', '', url));
const ours = (url, text) => (host.openLinks ? opens(url, text) : el('span', '', `${text}: ${url}`));

const fact = (name, ...value) => el('div', '', el('dt', '', name), el('dd', '', ...value));
const part = (className, title, ...inside) => el('section', className, el('h2', '', title), ...inside);

const unknown = (text) => el('span', 'state unknown', text);
const signalValue = ({ kind, value, unit, state }) => {
  if (state !== 'observed' || value === null) return unknown(words.signals[state] ?? plain(state));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? day(value) : value;
  return unit && !kind.includes(unit.replace(/s$/, '')) ? `${value} ${plain(unit)}` : String(value);
};

const ratingItem = (rating) =>
  el(
    'li',
    '',
    rating.withdrawn_at ? 'withdrawn' : rating.outcome,
    ' from ',
    el('span', 'handle', rating.source_handle),
    rating.withdrawn_at ? '' : `, ${plain(rating.group)}`,
    ', ',
    day(rating.created_at),
    rating.comment && !rating.withdrawn_at ? el('blockquote', '', rating.comment) : '',
  );

const counts = (title, { ratings, sources, outcomes }) =>
  fact(title, `${plural(ratings, 'rating')} from ${plural(sources, 'account')}: ${listed(outcomes)}`);
const groupCounts = (native) =>
  words.groups
    .filter(([group]) => group === 'independent' || native[group].ratings > 0)
    .map(([group, name]) => counts(name, native[group]));

const nativePart = ({ signals: { native }, evidence_snapshot_date }) =>
  part(
    'native',
    'Native ratings',
    el('p', 'statement', native.statement),
    native.ratings > 0 ? el('dl', 'facts', groupCounts(native)) : '',
    native.recent.length > 0 ? el('ul', '', native.recent.map(ratingItem)) : '',
    el('p', 'note', 'Made on this service by claimed listings. As of ', day(evidence_snapshot_date), '.'),
  );

const importedPart = ({ signals: { imported } }) =>
  part(
    'imported',
    'Imported signals',
    el('p', 'note', 'Facts recorded elsewhere. They are not ratings.'),
    el(
      'dl',
      'facts',
      imported.map((signal) =>
        fact(
          plain(signal.kind),
          signalValue(signal),
          el('span', 'note', `${signal.source}, as of `, day(signal.observed_at)),
        ),
      ),
    ),
  );

const none = () => unknown('none recorded');
const recordedPart = (listing) =>
  part(
    'recorded',
    'As recorded by the publisher',
    el(
      'dl',
      'facts',
      fact('Endpoint', listing.endpoint ? foreign(listing.endpoint) : none()),
      fact('Repository', listing.repository ? foreign(listing.repository) : none()),
      fact(
        'Packages',
        listing.packages.length > 0
          ? listing.packages
              .map(({ registry_type, identifier }) => `${registry_type} ${identifier}`)
              .join(', ')
          : none(),
      ),
      fact('Version', `${listing.version}, updated `, day(listing.updated_at)),
      fact('Origin', `${listing.origin}, imported `, day(listing.imported_at)),
      fact('Claim', listing.claim ? listing.claim.statement : words.states.imported),
    ),
  );

const listingCard = (listing) => [
  el(
    'p',
    'note',
    listing.sample ? 'Sample, listing ' : 'Listing ',
    el('span', 'state', words.states[listing.state]),
  ),
  listing.sample ? el('p', 'note', listing.origin) : '',
  el('h1', '', listing.handle),
  listing.title ? el('p', '', listing.title) : '',
  el('p', '', listing.description),
  el('p', 'snapshot', listing.evidence_snapshot),
  nativePart(listing),
  importedPart(listing),
  recordedPart(listing),
  el('section', 'foot', ours(listing.links.page, 'The whole listing')),
];

const answerCell = ({ handle, sample }, { result, fact: sentence, recorded, source, as_of }) =>
  el(
    'div',
    '',
    el('p', 'handle note', sample ? `${handle} (sample)` : handle),
    el('p', '', el('span', `result ${result}`, words.results[result])),
    el('p', '', sentence),
    recorded ? el('p', '', foreign(recorded)) : '',
    el('p', 'note', `${source}, as of `, day(as_of)),
  );

const question = ({ criterion, value }) =>
  (words.criteria[criterion] ?? plain(criterion))
    .replace('(s)', value === 1 ? '' : 's')
    .replace('{}', () => String(value ?? ''));

const comparedPart = (kind, title, listings) =>
  listings[0][kind].length === 0
    ? ''
    : part(
        kind,
        title,
        listings[0][kind].flatMap((one, at) => [
          el('h3', '', question(one)),
          el(
            'div',
            'answers',
            listings.map((listing) => answerCell(listing, listing[kind][at])),
          ),
        ]),
      );

const comparisonCard = ({ listings, statement }) => {
  const known = listings.filter(({ problem }) => !problem);
  const unanswered = listings.filter(({ problem }) => problem);
  return [
    el('p', 'note', `Comparison of ${plural(known.length, 'listing')}`),
    unanswered.map(({ handle, problem }) =>
      el('p', '', el('span', 'handle', handle), `: ${problem.message}`),
    ),
    known.length > 0 ? comparedPart('imported', words.kinds.imported, known) : '',
    known.length > 0 ? comparedPart('native', words.kinds.native, known) : '',
    el('p', 'note', statement),
  ].flat();
};

const problemCard = ({ message, near = [] }) => [
  el('p', 'statement', message),
  near.length > 0 ? el('p', '', `Did you mean: ${near.join(', ')}`) : '',
];

const show = (...inside) => card.replaceChildren(...inside.flat().filter(Boolean));

/** Hosts give the data, or only the text in which it stands too. */
const dataOf = ({ structuredContent, content = [] }) =>
  structuredContent ?? JSON.parse(content.find(({ type }) => type === 'text').text);

const showResult = (result) => {
  try {
    const data = dataOf(result);
    if (data.error) show(problemCard(data.error));
    else show(data.listings ? comparisonCard(data) : listingCard(data));
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
