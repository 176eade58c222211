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
  node.append(...inside.flat(Infinity).filter((part) => part !== undefined && part !== ''));
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

const none = (text) => el('span', 'state unknown', text);
const factValue = (value) => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
};
const factName = (name) => words.facts[name] ?? plain(name.replaceAll('.', ' '));
const factList = ({ facts }) =>
  el(
    'dl',
    'facts',
    Object.entries(facts).map(([name, value]) => fact(factName(name), factValue(value))),
  );
const factSource = ({ source, as_of, since }, { origin, observed_at }) =>
  source === 'record'
    ? `${origin}, ${observed_at}`
    : `${source}, ${as_of}${since ? `, the same since ${since}` : ''}`;

const questionPart = (listing, question) => {
  const known = listing.facts.filter((group) => group.question === question);
  const missing = listing.not_known.filter((item) => item.question === question);
  if (known.length + missing.length === 0) return '';
  return part(
    'imported',
    words.questions[question],
    known.map((group) => [factList(group), el('p', 'note', factSource(group, listing))]),
    missing.map(({ state, kinds = [], reason = '' }) =>
      el('p', '', none(plain(state)), ` ${kinds.map(factName).join(', ')} ${reason}`),
    ),
  );
};

const ratingItem = (rating) =>
  el(
    'li',
    '',
    `${rating.outcome} from `,
    el('span', 'handle', rating.source_handle),
    `, ${plain(rating.group)}, ${rating.date}`,
    rating.comment ? el('blockquote', '', rating.comment) : '',
  );

const groupFact = ([group, { ratings, sources, outcomes }]) =>
  fact(
    words.groups[group] ?? plain(group),
    `${plural(sources, 'source')}, ${plural(ratings, 'rating')}: ${listed(outcomes)}`,
  );

const nativePart = ({ statement, groups = {}, recent = [] }) =>
  part(
    'native',
    words.questions.ratings,
    el('p', 'statement', statement),
    el('dl', 'facts', Object.entries(groups).map(groupFact)),
    recent.length > 0 ? el('ul', '', recent.map(ratingItem)) : '',
  );

/** For the short answer; the whole document has its facts elsewhere, so only what both have is shown of it. */
const listingCard = (listing) => [
  el(
    'p',
    'note',
    listing.sample ? 'Sample, listing ' : 'Listing ',
    el('span', 'state', words.states[listing.state]),
  ),
  el('h1', '', listing.handle),
  el('p', '', listing.summary),
  el('p', 'snapshot', listing.evidence_snapshot),
  listing.facts ? nativePart(listing.signals.native) : '',
  listing.endpoint ? el('p', '', 'Endpoint: ', foreign(listing.endpoint)) : '',
  listing.repository ? el('p', '', 'Repository: ', foreign(listing.repository)) : '',
  listing.facts
    ? Object.keys(words.questions)
        .filter((question) => question !== 'ratings')
        .map((question) => questionPart(listing, question))
    : '',
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
    known.length > 0 ? comparedPart('observed', words.kinds.observed, known) : '',
    known.length > 0 ? comparedPart('native', words.kinds.native, known) : '',
    el('p', 'note', statement),
  ].flat();
};

const problemCard = ({ message, near = [] }) => [
  el('p', 'statement', message),
  near.length > 0 ? el('p', '', `Did you mean: ${near.join(', ')}`) : '',
];

const show = (...inside) => card.replaceChildren(...inside.flat(Infinity).filter(Boolean));

const dataCard = (data) => {
  if (data.error) return problemCard(data.error);
  return data.listings ? comparisonCard(data) : listingCard(data);
};

/** Hosts give the data, or only the text with the same facts: of a comparison that is its JSON. */
const resultCard = ({ structuredContent, content = [] }) => {
  if (structuredContent) return dataCard(structuredContent);
  const { text } = content.find(({ type }) => type === 'text');
  return text.startsWith('{') ? dataCard(JSON.parse(text)) : [el('p', 'text', text)];
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
