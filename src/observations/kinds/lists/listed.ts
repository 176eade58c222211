import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import type { Listed } from '../../endpoint/list.ts';
import { type Member, type Surface, sentDigest, shortNameOf, surfaceDigest } from '../../endpoint/surface.ts';

/**
 * What is stored of a list: its digest, and the names of its members with their digests. `toMore` says what
 * else is shown of a member.
 */
export const toListedFinding = (
  surface: Surface,
  { digested }: Listed,
  { introduction }: EndpointAnswer,
  toMore: (member: Member) => object,
) => ({
  value: surfaceDigest(digested),
  outcome: 'seen' as const,
  details: {
    [surface.name]: digested.map(({ member, sha256 }) => ({
      name: shortNameOf(member, surface),
      sha256,
      ...toMore(member),
    })),
  },
  as_seen: { era: introduction?.era, protocol: introduction?.protocol, digest: sentDigest(digested) },
});

/** The names of the members in the details of a list. */
export const listedNames = (members: unknown): string[] =>
  Array.isArray(members) ? members.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];
