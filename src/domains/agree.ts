import type { DnsRecords } from '../outbound/dns.ts';

/** What several DNS servers say about the TXT records of one name. */
export type AgreedTxt =
  | {
      /** The records that every server gave. */
      readonly records: readonly string[];
      /** Whether all servers gave the same: only then is a missing record known to be gone. */
      readonly isAgreed: boolean;
      readonly resolvers: number;
      readonly dnssec: boolean;
    }
  | 'no_answer';

/** Compares the answers of several servers; `undefined` is that of one that gave none. */
export function agree(answers: readonly (DnsRecords | undefined)[]): AgreedTxt {
  const given = answers.filter((answer) => answer !== undefined);
  if (given.length < answers.length || given.length === 0) return 'no_answer';
  const sets = given.map(({ records }) => new Set(records));
  const all = new Set(given.flatMap(({ records }) => records));
  const records = [...all].filter((record) => sets.every((set) => set.has(record)));
  return {
    records,
    isAgreed: records.length === all.size,
    resolvers: given.length,
    dnssec: given.every(({ dnssec }) => dnssec),
  };
}
