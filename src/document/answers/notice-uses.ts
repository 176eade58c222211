import type { StandOut } from './stands-out.ts';

/** For --fail-on, in the words of the totals. */
export const findings = {
  malware: 'reported as malicious code',
  advisories: 'with an advisory',
  deprecated: 'deprecated, yanked or replaced',
  'not-there': 'with a package or repository not where the record says',
  unreachable: 'without an answer',
  moved: 'moved in a year',
  changed: 'changed in 90 days',
  'unread-tools': 'with tools that could not be read',
  texts: 'with texts for models that are hidden or name files with credentials',
  scripts: 'with an install script or another publishing account',
  contradiction: 'not as recorded',
  paid: 'seen to ask for a payment',
  new: 'new',
  withdrawn: 'withdrawn',
  'not-listed': 'not listed',
  unpinned: 'not pinned',
} as const;
export type InventoryFinding = keyof typeof findings;
export const findingNames = Object.keys(findings) as InventoryFinding[];

interface NoticeUse {
  /** `says`: only in a question about something else. */
  readonly hook: 'asks' | 'says' | 'counts';
  readonly finding?: InventoryFinding;
  /** Printed when a listing is locked and at each check; other facts are compared. */
  readonly isSaidByLock?: true;
}

const uses: Readonly<Record<StandOut['key'] | 'other_version', NoticeUse>> = {
  malware: { hook: 'asks', finding: 'malware' },
  other_malware: { hook: 'asks' },
  other_version: { hook: 'says' },
  deprecated: { hook: 'asks', finding: 'deprecated', isSaidByLock: true },
  returned: { hook: 'says', isSaidByLock: true },
  moved: { hook: 'asks', finding: 'moved' },
  superseded: { hook: 'says', finding: 'deprecated', isSaidByLock: true },
  status_message: { hook: 'says' },
  names_service: { hook: 'counts' },
  redirected: { hook: 'asks', finding: 'unreachable' },
  no_answer: { hook: 'says', finding: 'unreachable' },
  not_there: { hook: 'asks', finding: 'not-there', isSaidByLock: true },
  no_repository: { hook: 'says', finding: 'not-there', isSaidByLock: true },
  stale: { hook: 'counts' },
  hidden_text: { hook: 'asks', finding: 'texts', isSaidByLock: true },
  credential_files: { hook: 'asks', finding: 'texts', isSaidByLock: true },
  changed: { hook: 'asks', finding: 'changed' },
  unread_tools: { hook: 'says', finding: 'unread-tools' },
  contradiction: { hook: 'says', finding: 'contradiction' },
  shared: { hook: 'counts' },
  package_version: { hook: 'asks', finding: 'scripts', isSaidByLock: true },
  advisories: { hook: 'asks', finding: 'advisories', isSaidByLock: true },
  secrets: { hook: 'counts' },
  ratings: { hook: 'counts' },
  new: { hook: 'asks', finding: 'new' },
};

/** A newer Dossier may have further notices. */
export const useOf = ({ key }: { readonly key: string }): NoticeUse =>
  Object.hasOwn(uses, key) ? uses[key as keyof typeof uses] : { hook: 'says' };
