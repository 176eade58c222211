import {
  type CriterionName,
  criteria,
  defaultCriteria,
  isCriterionName,
} from '../../document/criteria/criteria.ts';

export interface Picks {
  readonly handles: readonly string[];
  /** Values are as written in the address. */
  readonly criteria: readonly { readonly criterion: CriterionName; readonly value?: string }[];
  /** A handle to add, or words by which to find a listing to add. */
  readonly add: string;
}

export const defaultPicks: Picks['criteria'] = defaultCriteria.map(({ criterion, value }) => ({
  criterion,
  value: value?.toString(),
}));

function toPicked([name, value]: [string, string]): Picks['criteria'] {
  if (!isCriterionName(name) || value === '') return [];
  if (criteria[name].takes.kind !== 'nothing') return [{ criterion: name, value }];
  return value === 'true' ? [{ criterion: name }] : [];
}

/**
 * Links that add or remove a listing repeat all picks, so the number of picks is limited. One more than a
 * comparison accepts is kept, so that the page can say that there are too many.
 */
const maxHandles = 9;
const maxCriteria = 21;

/**
 * Keeps the order of the address and drops duplicates and unknown parameters. From a search form no criteria
 * are read, because its filters have the same names as some criteria.
 */
export function readPicks(address: URLSearchParams): Picks {
  const handles = new Set(address.getAll('handle').filter(Boolean));
  const isSearch = address.has('ticked');
  const picked = (isSearch ? [] : [...address])
    .flatMap(toPicked)
    .map((one) => [JSON.stringify(one), one] as const);
  return {
    handles: [...handles].slice(0, maxHandles),
    criteria: [...new Map(picked).values()].slice(0, maxCriteria),
    add: address.get('add')?.trim() ?? '',
  };
}

/** The inverse of readPicks. */
export const toQuery = ({ handles, criteria: picked, add }: Picks): string =>
  new URLSearchParams([
    ...handles.map((handle) => ['handle', handle]),
    ...picked.map(({ criterion, value }) => [criterion, value ?? 'true']),
    ...(add ? [['add', add]] : []),
  ]).toString();

export function toPath(picks: Picks): string {
  const query = toQuery(picks);
  return query ? `/compare?${query}` : '/compare';
}

export const comparePath = (handle: string): string => toPath({ handles: [handle], criteria: [], add: '' });
