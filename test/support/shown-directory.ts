import { type ClaimedDirectory, openClaimedDirectory } from './claimed-directory.ts';
import { publishLines } from './receipts.ts';
import { raters, shownEntries } from './shown-entries.ts';

const day_s = 86_400;
const ratings = 30;
const daysBetween = 9;
const subject = 'co.webhook/webhook';

const outcomes = ['succeeded', 'succeeded', 'partial', 'succeeded', 'failed', 'succeeded', 'unreachable'];
const comments = [
  'Replay of 40 deliveries kept their order; signatures matched.',
  undefined,
  'Two of five deliveries came twice. The dashboard showed them once.',
  undefined,
  'Rejected the signature of its own documentation example.',
];

const x = 'A'.repeat(43);
const keyLine = (kid: string, jwk: object) =>
  `receipt-key ${kid} ${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
/** Keys for receipts, one with a long name. */
const keyLines = [
  keyLine('2026-11', { kty: 'OKP', crv: 'Ed25519', x }),
  keyLine(`did:web:webhook.co#${'receipts-'.repeat(12)}`, { kty: 'EC', crv: 'P-256', x, y: x }),
];

/** A rating by the rater at a place of the list. */
const ratingOf = (at: number, now: Date) => ({
  handle: subject,
  interaction_id: `delivery-${at}`,
  interaction_at: new Date(now.getTime() - 3_600_000).toISOString(),
  outcome: outcomes[at % outcomes.length],
  protocol: 'mcp',
  operation: 'replay_delivery',
  relationship: at % 3 === 0 ? 'customer' : 'none',
  ...(at % 2 === 0 && { score: (at % 5) + 1, latency_ms: 180 + at * 7 }),
  ...(comments[at % comments.length] && { comment: comments[at % comments.length] }),
});

/** Rates through nine months; of the last three, one is responded to, one withdrawn, one amended. */
async function rate({ post, wait, context }: ClaimedDirectory, owner: string, others: readonly string[]) {
  const call = async (tool: string, body: object, capability: string | undefined) => {
    const answer = await post(`/api/tools/${tool}`, body, capability);
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { rating_id: string };
  };
  const rated: { id: string; by: string | undefined; content: ReturnType<typeof ratingOf> }[] = [];
  for (let at = 0; at < ratings; at += 1) {
    wait(daysBetween * day_s);
    const by = others[at % others.length];
    const content = ratingOf(at, context.clock());
    rated.push({ id: (await call('submit_rating', content, by)).rating_id, by, content });
  }
  const [responded, withdrawn, amended] = rated.slice(-3);
  const text = 'The example was wrong since 1.4; corrected on the same day. Thank you.';
  await call('respond_to_rating', { rating_id: responded?.id, text }, owner);
  await call('withdraw_rating', { rating_id: withdrawn?.id, reason: 'duplicate' }, withdrawn?.by);
  const refused = { ...amended?.content, outcome: 'refused', supersedes: amended?.id };
  await call('submit_rating', refused, amended?.by);
}

/** Claims a listing and takes the line out again, so that the second of two checks suspends it. */
async function suspend({ claim, git, post, wait, recheck }: ClaimedDirectory, handle: string, path: string) {
  await claim(handle, path);
  git.createRepository(path).commit({ 'dossier-claim.txt': null });
  wait(31);
  await post('/api/claim-github', { handle });
  wait(day_s);
  await recheck();
}

/**
 * Everything that the operator can do, on listings of their own: one hidden, one withdrawn, one with ratings.
 */
async function moderateAll(directory: ClaimedDirectory, rater: string | undefined) {
  const handle = 'org.moderated/rated';
  const owner = await directory.claim(handle, 'moderated/rated');
  const call = async (tool: string, body: object, capability?: string) => {
    const answer = await directory.post(`/api/tools/${tool}`, body, capability);
    if (!answer.ok) throw new Error(await answer.text());
    return String(((await answer.json()) as { rating_id: string }).rating_id);
  };
  const ids: string[] = [];
  for (const at of [0, 1, 2, 3]) {
    const content = { ...ratingOf(at, directory.context.clock()), handle, comment: 'Ring Jane Doe' };
    ids.push(await call('submit_rating', content, rater));
  }
  const [hidden = '', voided = '', erased = '', answered = ''] = ids;
  await call('respond_to_rating', { rating_id: answered, text: 'Jane Doe is wrong' }, owner);
  const me = await directory.app.request('/api/capability', {
    headers: { authorization: `Bearer ${owner}` },
  });
  const { capability_id } = (await me.json()) as { capability_id: string };
  await directory.act('hide', hidden, 'personal_data');
  await directory.act('void', voided, 'no_interaction');
  await directory.act('erase', erased, 'personal_data');
  await directory.act('hide', `response:${answered}`, 'threat_or_insult');
  await directory.act('revoke', capability_id, 'stolen_capability');
  await directory.act('hide', 'org.moderated/hidden', 'advertising');
  await directory.act('withdraw', 'org.moderated/withdrawn', 'malicious');
}

/**
 * A directory that listens and has a page in every state: `co.webhook/webhook` is claimed and rated by six
 * listings from nine months ago until today, `com.example/suspended` had a claim, `org.moderated/*` are
 * moderated, the rest is as it was imported.
 */
export async function openShownDirectory(): Promise<ClaimedDirectory> {
  const directory = await openClaimedDirectory({ entries: shownEntries, listening: true });
  directory.wait(-(ratings * daysBetween + 2) * day_s);
  const owner = await directory.claim(subject, 'webhook-co/webhook');
  const others: string[] = [];
  for (const [handle, path] of raters) others.push(await directory.claim(handle, path));
  await publishLines(directory, keyLines);
  await rate(directory, owner, others);
  await suspend(directory, 'com.example/suspended', 'example/suspended');
  await moderateAll(directory, others[1]);
  directory.git.createRepository('example/fresh').commit({ 'README.md': 'a repository without a claim' });
  directory.git.createRepository('example/wrong-file').commit({ 'dossier-claim.txt': 'not the line\n' });
  return directory;
}
