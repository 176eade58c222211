import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

let directory: Directory;
const about = async () => (await directory.app.request('/about')).text();

beforeAll(async () => {
  directory = await openDirectory();
  await directory.store.write(async (tx) => {
    const rows = Array.from({ length: 1500 }, (_, place) => ({
      name: `com.example/broken-${String(place).padStart(4, '0')}`,
      version: '1.0.0',
      reason: place < 1200 ? 'name is missing' : 'too large',
      run_id: 1,
      seen_at: '2026-10-02T08:00:00.000Z',
    }));
    await tx.imports.quarantine(rows);
  });
});
afterAll(() => directory.close());

describe('/about', () => {
  it('counts every quarantined record by its reason and names the newest twenty', async () => {
    const page = await about();
    expect(page).toContain('1,500 records could not be read.');
    expect(page).toContain('<th scope="row">name is missing</th><td>1,200</td>');
    expect(page).toContain('<th scope="row">too large</th><td>300</td>');
    expect(page.split('com.example/broken-')).toHaveLength(21);
  });

  it('shows how long the last completed import took', async () => {
    const { done } = await directory.store.imports.last();
    if (!done) throw new Error('there is no completed import');
    await directory.store.write((tx) =>
      tx.imports.saveRun(done.id, {
        started_at: '2026-10-02T08:00:00.000Z',
        finished_at: '2026-10-02T08:01:23.400Z',
      }),
    );
    expect(await about()).toContain(
      'Full, <time datetime="2026-10-02T08:00:00.000Z">2026-10-02 08:00 UTC</time> to <time datetime="2026-10-02T08:01:23.400Z">2026-10-02 08:01 UTC</time>, 83.4 seconds',
    );
  });
});
