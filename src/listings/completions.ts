import type { Context } from '../context.ts';

/** Values that start with the typed text come first. `filled` are other variables. */
export type Complete = (
  typed: string,
  filled: Readonly<Record<string, string>>,
  context: Context,
) => Promise<string[]>;

const maxCompletions = 100;
const mostNames = 1000;
const shortestPart = 2;

const toCompletions = (values: readonly string[]) => [...new Set(values)].slice(0, maxCompletions);

async function findHandles(typed: string, { store }: Context): Promise<string[]> {
  if (typed.trim().length < shortestPart) return [];
  const rows = await store.listings.briefs(await store.listings.best(typed, maxCompletions));
  const part = typed.trim().toLowerCase();
  return rows
    .filter(({ handle, title }) => `${handle} ${title ?? ''}`.toLowerCase().includes(part))
    .map(({ handle }) => handle);
}

export const completeNamespace: Complete = async (typed, _filled, context) => {
  const starting = await context.store.listings.completions('namespace', typed, maxCompletions);
  const handles = await findHandles(typed, context);
  const namespaces = handles.map((handle) => handle.slice(0, handle.indexOf('/')));
  return toCompletions([
    ...starting,
    ...namespaces.filter((one) => one.toLowerCase().includes(typed.toLowerCase())),
  ]);
};

export const completeName: Complete = async (typed, { namespace }, { store }) => {
  if (!namespace) return [];
  const handles = await store.listings.completions('handle', `${namespace}/`, mostNames);
  const names = handles.map((handle) => handle.slice(namespace.length + 1));
  const part = typed.toLowerCase();
  return toCompletions([
    ...names.filter((name) => name.startsWith(typed)),
    ...names.filter((name) => name.toLowerCase().includes(part)),
  ]);
};

export const completeHandle: Complete = async (typed, _filled, context) => {
  const starting = await context.store.listings.completions('handle', typed, maxCompletions);
  return toCompletions([...starting, ...(await findHandles(typed, context))]);
};

export const completeTag: Complete = async (typed, _filled, { store }) => {
  const tags = (await store.listings.facetCounts('tag')).map(({ facet }) => facet.slice('tag:'.length));
  return toCompletions([
    ...tags.filter((tag) => tag.startsWith(typed)),
    ...tags.filter((tag) => tag.includes(typed)),
  ]);
};
