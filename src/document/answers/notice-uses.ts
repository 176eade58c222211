/**
 * `words` of the totals. `by`: the criterion, or the facts, by which it is known that there is none.
 * `unknown`: the name of the part that can be unknown, if the record alone tells of the others.
 */
export const findings = {
  malware: { words: 'reported as malicious code', by: 'no_malware_report' },
  advisories: { words: 'with an advisory', by: 'no_advisory' },
  deprecated: {
    words: 'deprecated, yanked or replaced',
    by: 'package_not_deprecated',
    unknown: 'package-deprecated',
  },
  'not-there': {
    words: 'with a package or repository not where the record says',
    by: ['package_there', 'repository'],
  },
  unreachable: { words: 'without an answer', by: 'endpoint_observed_alive' },
  moved: { words: 'moved in a year', by: 'record_unmoved_for', value: 1 },
  changed: { words: 'changed in 90 days', by: ['tools', 'package_there'] },
  'unread-tools': { words: 'with tools that could not be read', by: 'tools' },
  texts: {
    words: 'with texts for models that are hidden or name files with credentials',
    by: 'tools',
  },
  scripts: {
    words: 'with an install script, another publishing account or lost provenance',
    by: 'package_there',
  },
  contradiction: { words: 'not as recorded', by: ['credentials', 'package_there'] },
  paid: { words: 'seen to ask for a payment', by: 'no_payment_seen' },
  new: { words: 'new', by: 'listed_for_days', value: 30 },
  withdrawn: { words: 'withdrawn' },
  'not-listed': { words: 'not listed' },
  unpinned: { words: 'not pinned' },
} as const satisfies Readonly<
  Record<string, { words: string; by?: string | readonly string[]; value?: number; unknown?: string }>
>;
export type InventoryFinding = keyof typeof findings;
export const unknownName = (name: InventoryFinding): string => {
  const of = findings[name];
  return 'unknown' in of ? of.unknown : name;
};
/** Follows `whether it is`. */
export const unknownWords = (unknown: string): string =>
  unknown === 'package-deprecated'
    ? 'with a package version that is marked as deprecated or yanked'
    : (findings[unknown as InventoryFinding]?.words ?? unknown);
export const findingNames = Object.keys(findings) as InventoryFinding[];
export type ListedFinding = Exclude<InventoryFinding, 'withdrawn' | 'not-listed' | 'unpinned'>;
export const listedFindings = findingNames.filter((name): name is ListedFinding => 'by' in findings[name]);

interface NoticeUse {
  /** `says`: only in a question about something else. */
  readonly hook: 'asks' | 'says' | 'counts';
  readonly finding?: InventoryFinding;
  /** The page of a listing that has more about it. */
  readonly anchor?: 'history' | 'ratings';
  /** Printed when a listing is locked and at each check; other facts are compared. */
  readonly isSaidByLock?: true;
}

const uses = {
  malware: { hook: 'asks', finding: 'malware' },
  other_malware: { hook: 'asks' },
  other_version: { hook: 'says' },
  deprecated: { hook: 'asks', finding: 'deprecated', isSaidByLock: true },
  package_deprecated: { hook: 'asks', finding: 'deprecated', isSaidByLock: true },
  returned: { hook: 'says', anchor: 'history', isSaidByLock: true },
  moved: { hook: 'asks', anchor: 'history', finding: 'moved' },
  superseded: { hook: 'says', finding: 'deprecated', isSaidByLock: true },
  newer: { hook: 'says' },
  status_message: { hook: 'says' },
  names_service: { hook: 'counts' },
  redirected: { hook: 'asks', anchor: 'history', finding: 'unreachable' },
  no_answer: { hook: 'says', anchor: 'history', finding: 'unreachable' },
  not_there: { hook: 'asks', finding: 'not-there', isSaidByLock: true },
  no_repository: { hook: 'says', finding: 'not-there', isSaidByLock: true },
  stale: { hook: 'counts' },
  hidden_text: { hook: 'asks', finding: 'texts', isSaidByLock: true },
  credential_files: { hook: 'asks', finding: 'texts', isSaidByLock: true },
  changed: { hook: 'asks', anchor: 'history', finding: 'changed' },
  unread_tools: { hook: 'says', anchor: 'history', finding: 'unread-tools' },
  contradiction: { hook: 'says', finding: 'contradiction' },
  shared: { hook: 'says' },
  package_version: { hook: 'asks', finding: 'scripts', isSaidByLock: true },
  advisories: { hook: 'asks', finding: 'advisories', isSaidByLock: true },
  secrets: { hook: 'counts' },
  ratings: { hook: 'counts', anchor: 'ratings' },
  new: { hook: 'asks', finding: 'new' },
} satisfies Readonly<Record<string, NoticeUse>>;
export type NoticeKey = keyof typeof uses;

/** A newer Dossier may have further notices. */
export const useOf = ({ key }: { readonly key: string }): NoticeUse =>
  Object.hasOwn(uses, key) ? uses[key as NoticeKey] : { hook: 'says' };

export const keysOf = (finding: InventoryFinding) =>
  (Object.keys(uses) as NoticeKey[]).filter((key) => useOf({ key }).finding === finding);
