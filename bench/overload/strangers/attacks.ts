import type { Target } from './calls.ts';
import { changing } from './changing.ts';
import { readNothing, sendHalves } from './connections.ts';
import type { HostilePublishers } from './hostile.ts';
import { unresolved } from './names.ts';
import { readHeavyRecords, readHistory, readLargePages, readVersions, searchWithoutWords } from './reads.ts';
import { patterns, robots } from './robots.ts';
import { streams } from './streams.ts';
import { watchAll } from './subscriptions.ts';
import { compareSurfaces } from './surfaces.ts';
import { largestLists, toolLists } from './tools.ts';

/** What strangers do to the service, each alone. */
export interface StrangersAttack {
  readonly title: string;
  /** Whose listings are read once, anonymously. */
  readonly publishers?: HostilePublishers;
  /** What is sent to the service meanwhile; returns what came of it. */
  readonly act?: (target: Target) => Promise<string>;
}

/** All attacks by the name of `--only`. The first one is none: what the machine does by itself. */
export const attacks: Readonly<Record<string, StrangersAttack>> = {
  none: { title: 'nobody attacks' },
  robots: { title: 'rules of robots.txt that take memory', publishers: robots },
  streams: { title: 'event streams', publishers: streams },
  patterns: { title: 'patterns of robots.txt, addresses and challenges', publishers: patterns },
  tools: { title: 'lists of tools of ten endpoints each', publishers: toolLists },
  members: { title: 'six listings, each with ten of the largest lists', publishers: largestLists },
  names: { title: 'names whose servers are silent or fail', publishers: unresolved },
  surfaces: {
    title: 'check_surface, 120 at once and 10 a second',
    publishers: changing,
    act: compareSurfaces,
  },
  subscriptions: { title: '1,000 subscriptions, and an import', act: watchAll },
  unread: { title: 'answers that nobody reads', act: readNothing },
  pages: { title: 'sitemap, lists and registry pages, 60 a second', act: readLargePages },
  halves: { title: 'half-sent requests at the end', act: sendHalves },
  history: { title: 'get_history of tools that alternate, 20 a second', act: readHistory },
  versions: { title: 'pages of 10,000 versions, 30 a second', act: readVersions },
  records: { title: 'the heaviest records of each shape, 30 a second', act: readHeavyRecords },
  lists: { title: 'searches without words, 60 a second', act: searchWithoutWords },
};

/** Every hostile publisher by name. */
export const allPublishers: HostilePublishers = Object.assign(
  {},
  ...Object.values(attacks).map(({ publishers = {} }) => publishers),
);
