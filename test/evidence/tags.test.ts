import { describe, expect, it } from 'vitest';
import { type TagFacts, toTags } from '../../src/listings/tags.ts';

const facts = (change: Partial<TagFacts>): TagFacts => ({
  title: undefined,
  description: '',
  keywords: [],
  hasRemote: false,
  packageTypes: [],
  transports: [],
  ...change,
});

describe('tags', () => {
  it('gives the reason why a listing has each', () => {
    expect(
      toTags(
        facts({
          title: 'Webhook desk',
          description: 'Replay webhooks and send SMS through your knowledge base',
          keywords: ['Event Delivery', 'webhooks'],
          hasRemote: true,
          packageTypes: ['npm'],
          transports: ['streamable-http', 'stdio'],
        }),
      ),
    ).toEqual([
      { tag: 'webhooks', reason: "the word 'webhook' in the title" },
      { tag: 'messaging', reason: "the word 'sms' in the description" },
      { tag: 'knowledge', reason: "the words 'knowledge base' in the description" },
      { tag: 'event-delivery', reason: 'publisher keyword' },
      { tag: 'remote', reason: 'a recorded remote endpoint' },
      { tag: 'stdio', reason: 'recorded transport stdio' },
      { tag: 'npm', reason: 'recorded package type npm' },
    ]);
  });
  it.each([
    ['Catalog of video games', ['games']],
    ['Weather alerts for hikers', ['weather']],
    ['Price and IPO alerts', []],
    ['Improves your workflow', []],
    ['Profit and loss forecast', []],
    ['Booking of trades and calls', ['finance']],
    ['Automate tasks', []],
    ['Reports of npm audit', ['security']],
    ['Live ADS-B positions', ['travel']],
    ['Business models', []],
    ['A flight recorder of agents', []],
    ['Legal entity identifiers', []],
    ['A reader of Claude Code. Search it', []],
    ['Live NBA scores', ['sports']],
    ['ServiceNow incidents', ['monitoring', 'it-support']],
    ['Website builder', ['websites']],
    ['World Bank indicators', ['economics']],
  ])('reads phrases, not single words: %s', (description, expected) => {
    expect(toTags(facts({ description })).map(({ tag }) => tag)).toEqual(expected);
  });
  it('gives none without a fact', () => {
    expect(toTags(facts({ description: 'A plain description' }))).toEqual([]);
  });
  it('matches whole words only', () => {
    expect(toTags(facts({ description: 'Emailing paysites and sqlness' }))).toEqual([]);
  });
  it('keeps 8 at most, however many the publisher sends', () => {
    const keywords = Array.from({ length: 200 }, (_, at) => `keyword ${at}`);
    const tags = toTags(
      facts({ keywords, description: 'crypto, email, weather, news, geocoding, travel', hasRemote: true }),
    );
    expect(tags.map(({ tag }) => tag)).toEqual([
      'email',
      'crypto',
      'maps',
      'weather',
      'travel',
      'keyword-0',
      'keyword-1',
      'remote',
    ]);
  });
  it('keeps every recorded fact beside words, and then no more keywords', () => {
    const recorded = { hasRemote: true, transports: ['stdio'], packageTypes: ['npm', 'pypi', 'oci', 'mcpb'] };
    const said = { description: 'crypto, email, weather', keywords: ['keyword'] };
    expect(toTags(facts({ ...recorded, ...said })).map(({ tag }) => tag)).toEqual([
      'email',
      'crypto',
      'weather',
      'remote',
      'stdio',
      'npm',
      'pypi',
      'oci',
      'mcpb',
    ]);
  });
  it('takes no keyword that is not a short plain word', () => {
    const keywords = ['', 'x', 'a'.repeat(65), '<script>', '\u202e', 'state:claimed has:ratings'];
    expect(toTags(facts({ keywords })).map(({ tag }) => tag)).toEqual([
      'script',
      'state-claimed-has-ratings',
    ]);
  });
});
