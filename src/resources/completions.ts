import { type Complete, maxCompletions } from './resource.ts';

/** Namespaces that start with what was typed. */
export const completeNamespace: Complete = (typed, _filled, { store }) =>
  store.listings.completions('namespace', typed, maxCompletions);

/** Names under the namespace already filled in; none without one. */
export const completeName: Complete = async (typed, { namespace }, { store }) => {
  if (!namespace) return [];
  const handles = await store.listings.completions('handle', `${namespace}/${typed}`, maxCompletions);
  return handles.map((handle) => handle.slice(namespace.length + 1));
};

/** Handles that start with what was typed. */
export const completeHandle: Complete = (typed, _filled, { store }) =>
  store.listings.completions('handle', typed, maxCompletions);

/** Tags that start with what was typed, most frequent first. */
export const completeTag: Complete = async (typed, _filled, { store }) => {
  const counts = await store.listings.facetCounts('tag');
  return counts
    .map(({ facet }) => facet.slice('tag:'.length))
    .filter((tag) => tag.startsWith(typed))
    .slice(0, maxCompletions);
};
