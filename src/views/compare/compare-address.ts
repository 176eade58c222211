import { type CriterionName, criteria } from '../../evidence/comparison/criteria.ts';

/** One criterion of an address, its value as it was written there. */
export interface PickedCriterion {
  readonly criterion: CriterionName;
  readonly value?: string;
}

/** A comparison as its address holds it. */
export interface Picks {
  readonly handles: readonly string[];
  readonly criteria: readonly PickedCriterion[];
  /** Words or a handle of a listing to add. */
  readonly add: string;
}

/** What is asked where nobody has picked anything yet. */
export const firstCriteria: readonly PickedCriterion[] = [
  { criterion: 'active' },
  { criterion: 'has_endpoint' },
  { criterion: 'has_repository' },
  { criterion: 'endpoint_observed_alive' },
  { criterion: 'updated_within_days', value: '180' },
  { criterion: 'claimed' },
  { criterion: 'native_ratings_at_least', value: '1' },
  { criterion: 'rated_within_days', value: '90' },
];

const isCriterion = (name: string): name is CriterionName => Object.hasOwn(criteria, name);

function toPicked([name, value]: [string, string]): PickedCriterion[] {
  if (!isCriterion(name) || value === '') return [];
  if (criteria[name].takes.kind !== 'nothing') return [{ criterion: name, value }];
  return value === 'true' ? [{ criterion: name }] : [];
}

/** One more of each than a comparison takes, so that it says so; the page names each of them with all others. */
const [mostHandles, mostCriteria] = [9, 21] as const;

/** What an address asks for, each thing once, in its order; what it does not know is passed over. */
export function readPicks(address: URLSearchParams): Picks {
  const handles = new Set(address.getAll('handle').filter(Boolean));
  const picked = [...address].flatMap(toPicked).map((one) => [JSON.stringify(one), one] as const);
  return {
    handles: [...handles].slice(0, mostHandles),
    criteria: [...new Map(picked).values()].slice(0, mostCriteria),
    add: address.get('add')?.trim() ?? '',
  };
}

/** The one query of a comparison; readPicks reads the same from it. */
export const toQuery = ({ handles, criteria: picked, add }: Picks): string =>
  new URLSearchParams([
    ...handles.map((handle) => ['handle', handle]),
    ...picked.map(({ criterion, value }) => [criterion, value ?? 'true']),
    ...(add ? [['add', add]] : []),
  ]).toString();

/** The address of a comparison. */
export function toPath(picks: Picks): string {
  const query = toQuery(picks);
  return query ? `/compare?${query}` : '/compare';
}

/** Where a comparison begins with one listing. */
export const comparePath = (handle: string): string => toPath({ handles: [handle], criteria: [], add: '' });
