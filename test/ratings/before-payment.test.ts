import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { callTool } from '../support/directory.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { opened } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const handle = 'com.example/fares';
const offer = {
  payTo: '0x1111111111111111111111111111111111111111',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
};

it('check_offer leaves no rating out, whatever else stands out about whom it would pay', async () => {
  const directory = await opened(
    openClaimedDirectory({
      entries: [
        registryEntry(handle, remotesAt('https://fares.example.com/mcp'), {
          status: 'deprecated',
          statusMessage: 'Ended',
        }),
        registryEntry('io.github.harrow/fields', onGitHub('harrow/fields')),
      ],
    }),
  );
  const capability = await directory.claim('io.github.harrow/fields', 'harrow/fields');
  await directory.rate(handle, capability, { outcome: 'failed', score: 1 });
  const { listings } = await callTool<{ listings: { stands_out: string[] }[] }>(directory, 'check_offer', {
    handle,
    offer,
  });
  expect(listings[0]?.stands_out).toEqual([
    expect.stringMatching(/^Deprecated in the registry/),
    expect.stringMatching(/^Rated by no independent source; 1 rating set apart/),
  ]);
});
