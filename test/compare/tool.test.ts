import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { connect } from '../support/mcp-clients.ts';
import { doorNames, openRatedDirectory, type RatedDirectory } from '../support/rating-doors.ts';
import { expectSameFacts } from '../support/same-facts.ts';

const webhook = 'co.webhook/webhook';
const politics = 'com.politicalcomms/api';

describe.each(doorNames)('compare_agents through %s', (door) => {
  let directory: RatedDirectory;
  beforeAll(async () => {
    directory = await openRatedDirectory(door);
    await directory.call('submit_rating', directory.rating(), directory.rater);
  });
  afterAll(() => directory.close());
  const ask = async (handles: readonly string[], criteria?: readonly (string | object)[]) =>
    (await directory.call('compare_agents', { handles, criteria })) as unknown as {
      readonly code?: string;
      readonly message?: string;
      readonly detail?: string;
      readonly statement: string;
      readonly untrusted_fields: readonly string[];
    };
  const compare = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked);
    return { ...answer, listings: comparedOf(answer) };
  };

  it('answers each criterion for each listing, in the order of the caller, and adds nothing up', async () => {
    const criteria = [
      { criterion: 'claimed' },
      { criterion: 'transport', value: 'stdio' },
      { criterion: 'native_ratings_at_least', value: 1 },
      { criterion: 'has_endpoint' },
      { criterion: 'publisher_listings_at_most', value: 1 },
      { criterion: 'endpoint_observed_alive' },
    ];
    const { listings, statement, untrusted_fields } = await compare([politics, webhook], criteria);
    expect(listings.map(({ handle }) => handle)).toEqual([politics, webhook]);
    expect(
      JSON.stringify(listings.map(({ imported, observed, native }) => [imported, observed, native])),
    ).toBe(
      JSON.stringify([
        [
          { 'transport:stdio': 'met', has_endpoint: 'not_met', 'publisher_listings_at_most:1': 'met' },
          { endpoint_observed_alive: 'not_applicable' },
          { claimed: 'not_met', 'native_ratings_at_least:1': 'not_met' },
        ],
        [
          { 'transport:stdio': 'not_met', has_endpoint: 'met', 'publisher_listings_at_most:1': 'met' },
          { endpoint_observed_alive: 'unknown' },
          { claimed: 'met', 'native_ratings_at_least:1': 'met' },
        ],
      ]),
    );
    expect(listings[0]?.lines).toEqual({
      whose: expect.stringContaining('ot claimed.'),
      where: expect.stringMatching(/^No endpoint recorded; a package for your machine: /),
      rated: 'No ratings here; that matters for a purchase.',
    });
    expect(listings[1]?.lines).toEqual({
      whose: expect.stringMatching(
        /Claimed on [\d-]+: write access to its repository was shown, nothing more\.$/,
      ),
      where: '`https://mcp.webhook.co/mcp` over streamable-http, not checked.',
      rated: expect.stringMatching(/^Independent: 1 source, 1 rating: /),
    });
    expect(statement).toBe(
      'Each criterion is answered separately; nothing is added up or ranked: the buyer decides.',
    );
    expect(untrusted_fields).toEqual(['listings.description', 'listings.lines']);
    expect(Object.keys({ ...listings[0] })).toEqual([
      'handle',
      'description',
      'imported',
      'observed',
      'native',
      'reasons',
      'lines',
      'unchecked',
      'record',
      'results',
    ]);
  });

  it('names what is not checked of each listing, whatever the criteria are', async () => {
    const { listings } = await compare([politics, webhook], ['claimed']);
    expect(listings.map(({ unchecked }) => unchecked)).toEqual([
      expect.stringMatching(/^tools, package provenance/),
      'tools, repository contents, last commit, licence',
    ]);
  });

  it('shows the lines of get_agent, of all that the criteria ask about, whose it is and where', async () => {
    const asked = { handle: webhook, detail: 'full' };
    const { markdown, origin } = (await directory.call('get_agent', asked)) as unknown as {
      markdown: string;
      origin: string;
    };
    const { listings } = await compare([webhook, politics], ['needs_no_secret', 'price_known', 'active']);
    expect(Object.keys(listings[0]?.lines ?? {})).toEqual(['whose', 'where', 'asks', 'kept_up']);
    expect(markdown).toContain(`\n* Asks: ${listings[0]?.lines?.asks}\n`);
    expect(listings[0]?.reasons?.price_known).toBe('Dossier has made no observation of this listing');
    expect(listings[0]?.record).toContain(origin);
  });

  it('reports handles without a listing, and answers the rest', async () => {
    const handles = [
      'co.webhook/Webhook',
      webhook,
      'org.gone/server',
      'no/hand le',
      'org.nobody/nothing-like-it',
    ];
    const { listings } = await compare(handles, [{ criterion: 'active' }]);
    expect(listings.map(({ handle }) => handle)).toEqual(handles);
    expect(listings.map(({ problem }) => problem?.code)).toEqual([
      'unknown_handle',
      undefined,
      'listing_withdrawn',
      'invalid_handle',
      'unknown_handle',
    ]);
    expect(listings[0]?.problem?.near?.[0]).toBe(webhook);
    expect(listings[4]?.problem?.message).toBe(
      'No listing is found by this name. The listings are of a saved copy of a registry, whose newest change is of 2026-10-02: what was published later is not in it. What was withdrawn before may be missing from it. That a service is not listed says nothing about it; to be listed, its publisher puts a server.json into the MCP registry or another that is imported here. Search for it by words: search_agents.',
    );
    expect(Object.keys({ ...listings[2] })).toEqual(['handle', 'problem', 'results']);
    expect(listings[1]?.imported).toEqual({ active: 'met' });
  });

  it('names what is near each unknown name, in whatever order they are sent, and no field without it', async () => {
    const handles = ['co.webhook/webhok', 'com.politicalcomms/apii', 'org.nobody/nothing-like-it'];
    const { listings } = await compare(handles, ['active']);
    const turned = await compare(handles.toReversed(), ['active']);
    expect(turned.listings.toReversed()).toEqual(listings);
    expect(listings.map(({ problem }) => problem?.near?.[0])).toEqual([webhook, politics, undefined]);
    expect(listings[2]?.problem?.message).not.toMatch(/\bnear\b/);
  });

  it('takes criteria as plain strings, and those of the page if there are none', async () => {
    const asStrings = await compare(
      [webhook, politics],
      ['claimed', 'updated_within_days:3650', 'transport:sse'],
    );
    const asObjects = await compare(
      [webhook, politics],
      [
        { criterion: 'claimed' },
        { criterion: 'updated_within_days', value: 3650 },
        { criterion: 'transport', value: 'sse' },
      ],
    );
    expect(asStrings.listings).toEqual(asObjects.listings);
    const { listings } = await compare([webhook, politics]);
    const [first] = listings;
    expect(Object.keys(first?.results ?? {})).toEqual([
      'active',
      'endpoint_at_domain',
      'nothing_shared',
      'needs_no_secret',
      'endpoint_observed_alive',
      'price_known',
      'tools_unchanged_for:30',
      'claimed',
      'native_ratings_at_least:1',
    ]);
  });

  it('judges one alone as it does among others', async () => {
    const asked = ['has_endpoint', 'claimed'];
    const [first] = (await compare([webhook, politics], asked)).listings;
    expect((await compare([webhook], asked)).listings).toEqual([first]);
  });

  it('takes 30 days where a criterion about what stays the same names none', async () => {
    const short = await compare([webhook, politics], ['pay_to_unchanged_for', 'tools_unchanged_for']);
    const long = await compare([webhook, politics], ['pay_to_unchanged_for:30', 'tools_unchanged_for:30']);
    expect(short.listings).toEqual(long.listings);
  });

  it('refuses what is out of bounds or not in the vocabulary, and lists what is allowed', async () => {
    const active = { criterion: 'active' };
    const refused = async (handles: readonly string[], criteria: readonly (string | object)[]) => {
      const { code, message, detail } = await ask(handles, criteria);
      expect(code).toBe('invalid_input');
      return /^(?:The input does not fit the schema\. )?(.+)\. Correct the named fields/.exec(
        message ?? detail ?? '',
      )?.[1];
    };
    const nine = Array.from({ length: 9 }, (_, at) => `com.example/n${at}`);
    expect(await refused([], [active])).toBe('handles must have at least 1 entry');
    expect(await refused(nine, [active])).toBe('handles must have at most 8 entries');
    expect(await refused([webhook, politics], [])).toBe('criteria must have at least 1 entry');
    const many = Array.from({ length: 21 }, (_, at) => ({ criterion: 'listed_for_days', value: at + 1 }));
    expect(await refused([webhook, politics], many)).toBe('criteria must have at most 20 entries');
    expect(await refused([webhook, webhook], [active])).toBe('handles must name each listing once');
    expect(await refused([webhook, politics], [active, active])).toBe(
      'criteria must name each criterion once',
    );
    const unknown = (await refused([webhook, politics], ['cheap', 'pretty'])) ?? '';
    expect(unknown.match(/needs_no_secret/g)).toHaveLength(1);
    expect(unknown).toMatch(/^criteria\.0 must be one of .*; criteria\.1 must be one of these names too$/);
    const wrong: readonly (readonly [object, string])[] = [
      [{ criterion: 'active', value: 1 }, 'active takes no value'],
      [{ criterion: 'listed_for_days' }, 'listed_for_days takes a whole number from 1 to 3650'],
      [{ criterion: 'listed_for_days', value: 0 }, 'listed_for_days takes a whole number from 1 to 3650'],
      [{ criterion: 'listed_for_days', value: '30' }, 'listed_for_days takes a whole number from 1 to 3650'],
      [
        { criterion: 'succeeded_percent_at_least', value: 101 },
        'succeeded_percent_at_least takes a whole number from 1 to 100',
      ],
      [{ criterion: 'transport', value: 'http' }, 'transport takes one of streamable-http, sse, stdio'],
      [{ criterion: 'package', value: 7 }, 'package takes one of npm, pypi, oci, nuget, mcpb, cargo'],
      [{ criterion: 'tag', value: 'No Tag' }, 'tag takes a tag; see list_tags'],
    ];
    for (const [criterion, message] of wrong)
      expect(await refused([webhook, politics], [active, criterion])).toBe(`criteria.1.value ${message}`);
    expect(await refused([webhook, politics], ['claimd'])).toMatch(
      /^criteria\.0 must be one of active, .+; the nearest is claimed$/,
    );
    expect(await refused([webhook, politics], [{ criterion: 'trusted' }])).toMatch(
      /^criteria\.0\.criterion must be one of /,
    );
  });

  it('says of ratings that do not suffice how many there are, of how many, and why the others do not count', async () => {
    await directory.call('submit_rating', directory.rating(), directory.third);
    const criteria = [
      'native_ratings_at_least:1',
      'native_ratings_at_least:2',
      'independent_sources_at_least:2',
      'succeeded_percent_at_least:90',
    ];
    const { listings } = await compare([webhook, politics], criteria);
    const counted = '1 independent rating from 1 source; not counted: 1 new source';
    expect(listings[0]?.reasons).toEqual({
      'native_ratings_at_least:2': counted,
      'independent_sources_at_least:2': counted,
      'succeeded_percent_at_least:90': `${counted}; a share needs 5 independent sources`,
    });
    expect(listings[1]?.reasons).toEqual({
      'succeeded_percent_at_least:90': 'a share needs 5 independent sources',
    });
  });
});

describe('for any picks', () => {
  const handles = [webhook, politics, 'com.rater/api', 'com.third/api', 'org.plain/server', 'org.unknown/x'];
  const questions = [
    ...['active', 'has_endpoint', 'has_repository', 'endpoint_observed_alive', 'claimed'].map(
      (criterion) => ({ criterion }),
    ),
    ...['listed_for_days', 'updated_within_days', 'native_ratings_at_least', 'rated_within_days'].flatMap(
      (criterion) => [7, 90].map((value) => ({ criterion, value })),
    ),
    { criterion: 'transport', value: 'stdio' },
    { criterion: 'tag', value: 'webhooks' },
  ];
  const nameOf = ({ criterion, value }: { readonly criterion: string; readonly value?: string | number }) =>
    value === undefined ? criterion : `${criterion}:${value}`;
  const kindOf = (criterion: string) => {
    if (criterion === 'endpoint_observed_alive') return 'observed';
    return ['claimed', 'native_ratings_at_least', 'rated_within_days'].includes(criterion)
      ? 'native'
      : 'imported';
  };
  let directory: RatedDirectory;
  beforeAll(async () => {
    directory = await openRatedDirectory('POST /api/tools');
  });
  afterAll(() => directory.close());

  it('order and number are the caller’s, and an answer depends on nothing but its listing and its criterion', async () => {
    const alone = new Map<string, string>();
    const picks = fc.record({
      handles: fc.shuffledSubarray(handles, { minLength: 2, maxLength: 6 }),
      criteria: fc.shuffledSubarray(questions, { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(picks, async (input) => {
        const listings = comparedOf(await directory.call('compare_agents', input));
        expect(listings.map(({ handle }) => handle)).toEqual(input.handles);
        for (const { handle, results, problem, ...listing } of listings) {
          if (handle === 'org.unknown/x') expect(problem?.code).toBe('unknown_handle');
          else
            for (const kind of ['imported', 'observed', 'native'] as const) {
              const asked = input.criteria.filter(({ criterion }) => kindOf(criterion) === kind);
              expect(Object.keys(listing[kind] ?? {})).toEqual(asked.map(nameOf));
            }
          for (const [asked, result] of Object.entries(results)) {
            expect(['met', 'not_met', 'unknown', 'not_applicable']).toContain(result);
            const key = `${handle} ${asked}`;
            expect(result).toBe(alone.get(key) ?? result);
            alone.set(key, result);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(alone.size).toBeGreaterThan(40);
  });

  it('the maintenance line and the current one read the same', async () => {
    const input = { handles: [webhook, politics, 'org.unknown/x'], criteria: questions };
    const answers = await Promise.all(
      (['v1', 'v2', 'v2 at 2026-07-28'] as const).map(async (kind) => {
        const client = await connect(kind, { app: directory.app });
        const { content, structuredContent, isError } = await client.call('compare_agents', input);
        await client.close();
        expect(isError).toBeUndefined();
        expectSameFacts(content[0]?.text ?? '', structuredContent as object);
        return structuredContent;
      }),
    );
    expect(answers[0]).toHaveProperty('listings.0.handle', webhook);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});
