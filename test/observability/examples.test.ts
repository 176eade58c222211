import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import { type Directory, openDirectory } from '../support/directory.ts';

const read = (name: string) => readFileSync(`docs/examples/${name}`, 'utf8');

let directory: Directory;
let metrics: Metrics;
let published: ReadonlySet<string>;
beforeAll(async () => {
  directory = await openDirectory({ environment: { METRICS_PORT: '0' } });
  metrics = await directory.startMetrics();
  const text = await (await fetch(metrics.url)).text();
  published = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name],
    ),
  );
});
afterAll(async () => {
  await metrics.stop();
  await directory.close();
});

const metricsIn = (text: string) => [...new Set(text.match(/\b(dossier|process|nodejs)_\w+/g))];

describe('docs/examples', () => {
  it.each(['alerts.yml', 'dashboard.json'])('%s names only metrics that the service publishes', (name) => {
    const named = metricsIn(read(name));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((metric) => !published.has(metric))).toEqual([]);
  });
  it('alerts.yml says of each alert what is the matter, how urgent it is and what to do', () => {
    const { groups } = parse(read('alerts.yml')) as {
      groups: { rules: { alert: string; expr: string; labels: object; annotations: object }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(14);
    for (const { alert, labels, annotations } of rules)
      expect([alert, Object.keys(labels), Object.keys(annotations)]).toEqual([
        expect.stringMatching(/^Dossier[A-Z]/),
        ['severity'],
        ['summary', 'action'],
      ]);
  });
  it('dossier.service starts what npm start starts, as no user of the machine and with a read-only system', () => {
    const unit = read('dossier.service');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [, variables = '', options] = /^(.+) exec node (.+) src\/main\.js serve$/.exec(scripts.start) ?? [];
    expect(unit).toContain(
      `ExecStart=/opt/dossier/node_modules/.bin/node ${options} /opt/dossier/src/main.js serve\n`,
    );
    for (const line of [
      ...variables.split(' ').map((variable) => `Environment=${variable}`),
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
    ])
      expect(unit.split('\n')).toContain(line);
  });
});
