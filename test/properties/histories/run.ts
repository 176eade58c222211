import { restoreListing } from '../../../src/claims/opt-out.ts';
import { isGone } from '../../../src/listings/listing.ts';
import { logOfOrigin, logPath } from '../../../src/log/checkpoints.ts';
import { readCheckpoint } from '../../../src/log/notes.ts';
import { verifySavedProof } from '../../../src/log/verify.ts';
import { ratingOf } from '../../support/ratings.ts';
import { handleOf, listings, names } from './registry.ts';
import type { Step, StepOf } from './steps.ts';
import type { World } from './world.ts';

/** More than the 30 seconds in which a location is checked once. */
const betweenChecks_s = 31;
const hour_s = 3600;

type Run<K extends Step['does']> = (world: World, step: StepOf<K>) => Promise<string>;

const ask: Run<'ask'> = async (world, { at: { name, method }, node, presents, rotates, nth }) => {
  world.service.wait(betweenChecks_s);
  const capability = presents ? world.linesOf(name)[nth]?.capability : undefined;
  const input = { handle: handleOf(name), method, ...(rotates && { rotate: true }) };
  const { status, body } = await world.post(node, '/api/tools/claim_agent', input, capability);
  const { challenge, capability: secret, capability_id } = body;
  if (challenge && secret)
    world.lines.push({
      name,
      method,
      text: String(challenge),
      capability: String(secret),
      id: String(capability_id),
    });
  return [status === 200 ? body.status : status, body.code, body.check?.result].filter(Boolean).join(' ');
};

const put: Run<'put'> = async ({ places, ...world }, { at: { name, method }, keeps, nth }) => {
  const place = places.placeOf(name, method);
  const line = world.linesOf(name)[nth];
  if (!place || !line) return 'nothing to put';
  places.write(place, [...(keeps ? places.linesAt(place) : []), line.text]);
  return place;
};

const claim: Run<'claim'> = async (world, { at, node, presents, keeps }) => {
  const asking = { does: 'ask', at, node, nth: 0 } as const;
  const asked = await ask(world, { ...asking, presents, rotates: true });
  const written = await put(world, { does: 'put', at, keeps, nth: 0 });
  return `${asked}; ${written}; ${await ask(world, { ...asking, presents: false, rotates: false })}`;
};

const add: Run<'add'> = async ({ places, ...world }, { at: { name, method }, what, nth }) => {
  const place = places.placeOf(name, method);
  const lines = {
    optout: `optout ${handleOf(name)}`,
    key: world.keyLines[nth],
    leak: world.linesOf(name)[nth]?.capability,
  };
  const line = lines[what as keyof typeof lines];
  if (!place || !line) return 'nothing to add';
  places.write(place, [...places.linesAt(place), line]);
  return `${what} at ${place}`;
};

const beginnings: Readonly<Record<string, string>> = {
  optout: 'optout',
  key: 'receipt-key',
  leak: 'dossier_cap',
  line: 'dossier-claim',
  all: '',
};

const strip: Run<'strip'> = async ({ places }, { at: { name, method }, what }) => {
  const place = places.placeOf(name, method);
  if (!place) return 'no such place';
  const lines = places.linesAt(place);
  places.write(
    place,
    lines.filter((line) => !line.startsWith(beginnings[what] ?? '')),
  );
  return `${lines.length - places.linesAt(place).length} lines from ${place}`;
};

const rate: Run<'rate'> = async (world, { by, about, node, amends, interaction, outcome, ...more }) => {
  const capability = await world.findCapability(by);
  if (!capability) return 'no capability';
  const { ratings, service } = world;
  const interaction_id = `i${interaction}`;
  const known = amends
    ? ratings.findLast((one) => one.by === by && one.about === about && one.interaction === interaction_id)
    : undefined;
  const at = known?.at ?? service.nodes[node === 0 ? 0 : 1].context.clock().toISOString();
  const { relationship, score } = more;
  const input = ratingOf(handleOf(about), {
    interaction_id,
    interaction_at: at,
    outcome,
    relationship,
    comment: `Comment ${ratings.length} of ${by}`,
    ...(score && { score }),
    ...(known && { supersedes: known.id }),
  });
  const { status, body } = await world.post(node, '/api/tools/submit_rating', input, capability);
  if (body.rating_id) ratings.push({ id: body.rating_id, by, about, interaction: interaction_id, at });
  return `${status} ${body.code ?? body.status} ${body.group ?? ''}`;
};

const withdraw: Run<'withdraw'> = async (world, { nth, node }) => {
  const rating = world.ratings.at(-1 - nth);
  const capability = rating && (await world.findCapability(rating.by));
  if (!capability) return 'nobody can';
  const { status, body } = await world.post(
    node,
    '/api/tools/withdraw_rating',
    { rating_id: rating.id },
    capability,
  );
  return `${status} ${body.code ?? ''}`;
};

const respond: Run<'respond'> = async (world, { nth, node }) => {
  const rating = world.ratings.at(-1 - nth);
  const capability = rating && (await world.findCapability(rating.about));
  if (!capability) return 'nobody can';
  const input = { rating_id: rating.id, text: `Response of ${rating.about}` };
  const { status, body } = await world.post(node, '/api/tools/respond_to_rating', input, capability);
  return `${status} ${body.code ?? ''}`;
};

function targetOf(world: World, { act: { on }, nth, name }: StepOf<'act'>): string | undefined {
  const rating = world.ratings.at(-1 - nth)?.id;
  const targets = {
    rating,
    response: rating && `response:${rating}`,
    listing: handleOf(name),
    capability: world.linesOf(name)[nth]?.id,
    namespace: `namespace:${handleOf(name).split('/')[0]}`,
    account: nth === 0 ? 'account:github.com/alice' : 'account:bob.com',
  };
  return targets[on];
}

const act: Run<'act'> = async (world, step) => {
  const on = targetOf(world, step);
  const { directory } = world.service;
  const { action } = step.act;
  if (!on) return 'no target';
  try {
    if (step.undoes) return `undone ${await directory.restore(on, 'appeal', action)}`;
    await directory.act(action, on, action === 'revoke' || action === 'block' ? 'repeated' : 'unlawful');
    return 'done';
  } catch (error) {
    // The operator is told why an action cannot be; anything else is a fault of the service.
    if (error instanceof Error && /^(?:NotModerated|NotErasable|Error)$/.test(error.constructor.name))
      return `refused: ${error.message}`;
    throw error;
  }
};

/** As `dossier listing restore` does. */
const overrule: Run<'overrule'> = ({ service: { directory } }, { name }) =>
  directory.store.write(async (tx) => {
    const handle = handleOf(name);
    const optOut = await tx.optOuts.withdrawing(handle);
    if (!optOut || (optOut.listing && isGone(optOut.listing))) return 'not opted out';
    const at = directory.context.clock().toISOString();
    await restoreListing(tx, [await tx.claims.claim(handle), optOut], { at, reason: 'operator: a test' });
    await tx.optOuts.put({ ...optOut, state: 'overruled', checked_at: at, listing: undefined });
    return 'listed again';
  });

const publish: Run<'publish'> = async ({ registry, service }, { name, repository, host, status }) => {
  const own = listings[name].repository;
  const path = repository === 'own' ? own : repository === 'none' ? undefined : repository;
  await service.directory.importEntries(
    registry.publish(name, { repository: path, host, status: status as 'active' | 'deleted' }),
  );
  return '';
};

const remove: Run<'remove'> = async ({ registry, places }, { name, again }) => {
  const path = registry.repositoryOf(name);
  if (!path) return 'no repository';
  places.removeRepository(path, again);
  return path;
};

const recheck: Run<'recheck'> = async ({ service }, { node }) => String(await service.recheck(node));

/** Strangers ask every twenty minutes, and the pass of a day falls into the hour. */
const outage: Run<'outage'> = async (world, { host, how, asked, node }) => {
  const { places, service } = world;
  const end = places.fail({ host, how: how as 'refuses' | 'has nothing' | 'does not work' });
  const answers: string[] = [];
  try {
    for (const at of asked) {
      answers.push(await ask(world, { does: 'ask', at, node, presents: false, rotates: false, nth: 0 }));
      service.wait(hour_s / 4);
    }
    answers.push(`${await service.recheck(node)} checked`);
  } finally {
    end();
  }
  return answers.join('; ');
};

const read: Run<'read'> = async (world, { node }) => {
  const { url } = world.service.nodes[node === 0 ? 0 : 1];
  for (const name of names) {
    await (await fetch(`${url}/agents/${handleOf(name)}.json`)).text();
    await (await fetch(`${url}/agents/${handleOf(name)}/ratings`)).text();
  }
  const newest = (await world.service.directory.store.log.heads()).at(-1)?.id ?? 1;
  const checkpoint = await (await fetch(`${url}${logPath(newest)}/checkpoint`)).text();
  if (checkpoint !== world.kept.at(-1)) world.kept.push(checkpoint);
  return '';
};

const restore: Run<'restore'> = async ({ registry, service, kept }) => {
  if (!(await service.restore())) return 'no backup';
  const heads = await service.directory.store.log.heads();
  // Of what is lost the service says so at /log, and a checkpoint that covers it shows that.
  const isLost = (text: string) => {
    const { origin = '', size = 0 } = readCheckpoint(text) ?? {};
    const log = heads.find(({ id }) => id === logOfOrigin(origin));
    return log === undefined || log.size < size;
  };
  kept.splice(0, kept.length, ...kept.filter((text) => !isLost(text)));
  await service.directory.importEntries(registry.entries);
  return `${heads.length} logs`;
};

/** Every entry of the log has a proof that holds, or says why it has none. */
const prove: Run<'prove'> = async (world) => {
  const size = await world.service.directory.store.log.size();
  for (let log_index = 0; log_index < size; log_index++) {
    const { status, body } = await world.post(0, '/api/tools/get_proof', { log_index });
    const broken =
      status === 200 ? verifySavedProof(body as never).filter(({ holds }) => holds === false) : [];
    if ((status !== 200 && status !== 404) || broken.length > 0)
      throw new Error(`the proof of entry ${log_index}: ${status} ${JSON.stringify(broken)}`);
  }
  return `${size} entries`;
};

const runs: { readonly [K in Step['does']]: Run<K> } = {
  ask,
  put,
  claim,
  add,
  strip,
  recheck,
  outage,
  remove,
  publish,
  read,
  rate,
  withdraw,
  respond,
  act,
  overrule,
  restore,
  prove,
  async revoke(world, { name, node }) {
    const capability = await world.findCapability(name);
    if (!capability) return 'no capability';
    return String((await world.post(node, '/api/capability/revoke', {}, capability)).status);
  },
  async wait({ service }, { days }) {
    service.wait(days * 86_400);
    return '';
  },
  async jump({ service }, { seconds }) {
    service.wait(seconds);
    return '';
  },
  async backUp({ service }) {
    await service.backUp();
    return '';
  },
};

/** Runs one step and tells what came of it. */
export async function run(world: World, step: Step): Promise<void> {
  world.told.push(JSON.stringify(step));
  const came = await (runs[step.does] as (world: World, step: Step) => Promise<string>)(world, step);
  world.told[world.told.length - 1] += ` -> ${came}`;
}
