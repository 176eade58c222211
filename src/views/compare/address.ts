import {
  type CriterionName,
  criteria,
  defaultCriteria,
  isCriterionName,
} from '../../document/criteria/criteria.ts';

export interface Picks {
  readonly handles: readonly string[];
  /** As written in the address. */
  readonly criteria: readonly { readonly criterion: CriterionName; readonly value?: string }[];
  /** A handle, or words to find one by. */
  readonly add: string;
  /** The day as of which the listings are compared. */
  readonly as_of?: string;
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

/** Links repeat all picks. One more than a comparison takes, so that the page can say so. */
const maxHandles = 9;
const maxCriteria = 21;

/** In the order of the address. A search form has no criteria: its filters have some of their names. */
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
    ...(address.get('as_of') && { as_of: address.get('as_of') ?? '' }),
  };
}

export const toQuery = ({ handles, criteria: picked, add, as_of }: Picks): string =>
  new URLSearchParams([
    ...handles.map((handle) => ['handle', handle]),
    ...picked.map(({ criterion, value }) => [criterion, value ?? 'true']),
    ...(add ? [['add', add]] : []),
    ...(as_of ? [['as_of', as_of]] : []),
  ]).toString();

export function toPath(picks: Picks): string {
  const query = toQuery(picks);
  return query ? `/compare?${query}` : '/compare';
}

export const comparePath = (handle: string): string => toPath({ handles: [handle], criteria: [], add: '' });
