import { z } from 'zod';
import type { Json } from '../../../../core/json.ts';
import type { EndpointAnswer } from '../../../asked/endpoint/conversation.ts';
import type { ListedMembers } from '../../../asked/endpoint/list.ts';
import {
  type Surface,
  type SurfaceMember,
  type SurfaceName,
  sentDigest,
  shortNameOf,
  surfaceDigest,
} from '../../../asked/endpoint/surface.ts';
import { listChangeWords, listDifference, surfaceWeight } from './member-changes.ts';

/** What the lists of an endpoint have in common. */
export const ofList = <const Name extends SurfaceName>(surface: Surface & { readonly name: Name }) =>
  ({
    value: z.string(),
    question: 'tools',
    isLocked: true,
    lists: surface.name,
    pinnedAs: surface.name,
    sayChange: listChangeWords(surface),
    weighChange: surfaceWeight,
    difference: listDifference(surface),
  }) as const;

export const toListedFinding = (
  surface: Surface,
  { digested, members }: ListedMembers,
  { introduction }: EndpointAnswer,
  toMore: (member: SurfaceMember) => object,
) => ({
  value: surfaceDigest(digested),
  whole: members as Json,
  whole_digest: surfaceDigest(digested),
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

export const listedNames = (members: unknown): string[] =>
  Array.isArray(members) ? members.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];
