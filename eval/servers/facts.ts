import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Directory } from '../../test/support/directory.ts';
import { handle } from './days.ts';
import type { ListedTool, Truth } from './truth.ts';

/** A fact that Dossier stored or said, which is not as clients of the SDK see it. */
export interface Wrong {
  readonly fact: string;
  readonly is: unknown;
  readonly shouldBe: unknown;
}

/** How many tools say of themselves what they do. */
function hintsOf(tools: readonly ListedTool[]) {
  const read_only = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).length;
  const destructive = tools.filter(
    ({ annotations }) => annotations?.readOnlyHint !== true && annotations?.destructiveHint === true,
  ).length;
  const without_hint = tools.length - read_only - destructive;
  return tools.length === 0 ? undefined : { read_only, destructive, without_hint };
}

/**
 * Characters that most fonts show nothing for; emoji and scripts that need some of them are not in these
 * servers.
 */
const hidden = /[\u200b-\u200d\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Whether everything in a value is in another one, too: clients leave out members that they do not know. */
function isIn(value: unknown, other: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === other;
  if (typeof other !== 'object' || other === null || Array.isArray(value) !== Array.isArray(other))
    return false;
  const is = Object.entries(value);
  const was = new Map(Object.entries(other));
  return (
    (!Array.isArray(value) || is.length === was.size) && is.every(([name, one]) => isIn(one, was.get(name)))
  );
}

const hasSameTools = (stored: readonly ListedTool[], shown: readonly ListedTool[]) =>
  stored.length === shown.length &&
  shown.every((tool) =>
    isIn(
      tool,
      stored.find(({ name }) => name === tool.name),
    ),
  );

const asChecks = (value: unknown) => {
  if (value === undefined) return undefined;
  const { days_30 } = value as { days_30: { answered: number; made: number } };
  return [days_30.answered, days_30.made];
};

/** The lines of the answer about a listing. */
async function linesOf({ app }: Directory): Promise<Record<string, string>> {
  const answer = await app.request('/api/tools/get_agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle }),
  });
  const { lines } = (await answer.json()) as { lines: Record<string, string> };
  return lines;
}

const named = /`([^`]+)`(?: \(says ([a-z-]+)\))?/g;

/** How many tools a line names, with those that it only counts. */
const countNamed = (line: string) =>
  [...line.matchAll(named)].length + Number(/, (\d+) more$/.exec(line)?.[1] ?? 0);

/** What a line says of each tool that it names. */
const saidOf = (line: string) => [...line.matchAll(named)].map(([, name, hint]) => [name, hint]);

/** What it should say of them. */
const hintsNamed = (line: string, tools: readonly ListedTool[]) =>
  saidOf(line).map(([name]) => {
    const { annotations } = tools.find((tool) => tool.name === name) ?? {};
    if (annotations?.readOnlyHint === true) return [name, 'read-only'];
    return [name, annotations?.destructiveHint === true ? 'destructive' : undefined];
  });

/**
 * What was checked of one listing, and what of it is wrong: each fact that its endpoint can have, and what
 * the answer says of it.
 */
export async function compareFacts(
  directory: Directory,
  url: string,
  truth: Truth,
): Promise<{ readonly checked: number; readonly wrong: readonly Wrong[] }> {
  const { observations = [] } = (await directory.store.observations.ofListing(handle)) ?? {};
  const storedOf = (name: string) => observations.find(({ kind }) => kind === name)?.value ?? undefined;
  const outcomeOf = (name: string) => observations.find(({ kind }) => kind === name)?.outcome;
  const list = { handle, kind: 'tools.surface', subject: url };
  const [surface] = await directory.store.observations.values(list);
  const stored = surface && (await directory.store.observations.valueText(list, surface.digest));
  const tools = JSON.parse(stored ?? '[]') as ListedTool[];
  const { where = '', asks = '', tools: ofTools = '', costs = '' } = await linesOf(directory);
  // Prompts, resources and tools with a user interface follow.
  const listed = ofTools.replace(/\.$/, '').split('; ')[0] ?? '';
  const { instructions } = truth;
  const texts = JSON.stringify([truth.tools, instructions]);
  // A server may refuse a list that it declares.
  const isWhole = observations.every(
    ({ kind, outcome }) => !kind.endsWith('.surface') || outcome === 'seen' || outcome === 'absent',
  );
  const facts: readonly (readonly [fact: string, is: unknown, shouldBe: unknown])[] = [
    ['endpoint.answers', storedOf('endpoint.answers'), 200],
    [
      'endpoint.answers, reason',
      observations.find(({ kind }) => kind === 'endpoint.answers')?.why,
      undefined,
    ],
    ['endpoint.protocol', storedOf('endpoint.protocol'), truth.protocol ?? storedOf('endpoint.protocol')],
    ['endpoint.availability', asChecks(storedOf('endpoint.availability')), [1, 1]],
    ['tools.count', storedOf('tools.count'), truth.tools.length],
    ['tools, every member that clients show', hasSameTools(tools, truth.tools), true],
    ['tools.hints', storedOf('tools.hints'), hintsOf(truth.tools)],
    [
      'tools.instructions',
      storedOf('tools.instructions'),
      instructions === undefined
        ? undefined
        : { sha256: hash('sha256', instructions), characters: instructions.length },
    ],
    [
      'tools.hidden_text',
      storedOf('tools.hidden_text'),
      isWhole ? [...texts.matchAll(hidden)].length : undefined,
    ],
    ['auth.required', storedOf('auth.required'), false],
    ['auth.oauth', storedOf('auth.oauth'), undefined],
    ['price.offers', outcomeOf('price.offers'), 'nothing'],
    [
      'said: where',
      where.replace(/ over (?:streamable-http|sse)/, ''),
      'Endpoint answered, 1 of 1 checks in 30 days.',
    ],
    // Secrets that tools take follow.
    ['said: asks', asks.replace(/;.*/, '.'), 'Introduced itself without asking for credentials.'],
    ['said: tools', countNamed(listed), truth.tools.length],
    ['said: hints of tools', saidOf(listed), hintsNamed(listed, truth.tools)],
    ['said: costs', costs, 'No price seen; calls may cost.'],
  ];
  const wrong = facts.flatMap(([fact, is, shouldBe]) =>
    isDeepStrictEqual(is, shouldBe) ? [] : [{ fact, is, shouldBe }],
  );
  return { checked: facts.length, wrong };
}
