import { describe, expect, it } from 'vitest';
import { surfaces } from '../../src/observations/asked/endpoint/surface.ts';
import { compareList, readShown, textsOfPairs } from '../../src/observations/known/changes/shown-list.ts';

/** Creates tools that count how often their input schemas are read. */
function countingTools(names: readonly string[], toSchema: (at: number) => object) {
  const counted = { reads: 0 };
  const tools = names.map((name, at) => ({
    name,
    get inputSchema() {
      counted.reads += 1;
      return toSchema(at);
    },
  }));
  return { tools, counted };
}

const same = (count: number) => Array.from({ length: count }, () => 'send');

describe('a comparison of two sets of tools', () => {
  it('reads each member a few times, however many tools have one name', () => {
    const sent = readShown(
      surfaces.tools,
      same(500).map((name, at) => ({ name, inputSchema: { at: -at } })),
    );
    const { tools, counted } = countingTools(same(500), (at) => ({ at }));
    const compared = compareList(tools, sent);
    expect(compared.differs).toHaveLength(998);
    expect(counted.reads).toBeLessThan(2000);
  });

  it('counts each of several tools of one name once', () => {
    const sent = readShown(
      surfaces.tools,
      [1, 2, 2].map((at) => ({ name: 'send', inputSchema: { at } })),
    );
    const seen = [2, 1, 1].map((at) => ({ name: 'send', inputSchema: { at } }));
    const { differs, repeated } = compareList(seen, sent);
    expect(differs).toEqual([{ name: 'send', difference: 'other', members: ['inputSchema'] }]);
    expect(repeated).toEqual(['send']);
  });

  it('finds the prefix of a host among names that end with each other', () => {
    const names = Array.from({ length: 200 }, (_, at) => 'a_'.repeat(at + 1));
    const sent = readShown(
      surfaces.tools,
      names.map((name) => ({ name: `mcp__mail__${name}` })),
    );
    expect(
      compareList(
        [...names].map((name) => ({ name })),
        sent,
      ),
    ).toMatchObject({ prefix: 'mcp__mail__', differs: [] });
  });

  it('compares words of 100,000 characters at most, for all texts together', () => {
    const toTools = (word: string) =>
      Array.from({ length: 20 }, (_, at) => ({
        name: `tool_${at}`,
        description: `${word} `.repeat(1500),
      }));
    const compared = compareList(toTools('read'), readShown(surfaces.tools, toTools('send')));
    expect(compared.differs).toHaveLength(20);
    expect(textsOfPairs(compared, { left: 100_000 })).toHaveLength(6);
  });

  it('takes a schema sent as a JSON text for the schema, unless all such texts have too many values', () => {
    const seen = [{ name: 'send', inputSchema: { type: 'object' } }];
    const sent = (text: string) => readShown(surfaces.tools, [{ name: 'send', inputSchema: text }]);
    expect(compareList(seen, sent('{"type":"object"}')).differs).toEqual([]);
    const huge = `{"type":"object","x":[${'0,'.repeat(100_000)}0]}`;
    const hugeSeen = [{ name: 'send', inputSchema: JSON.parse(huge) as object }];
    expect(compareList(hugeSeen, sent(huge)).differs).toHaveLength(1);
  });
});
