import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests of pages in Chromium and of attacks, which take about half of the time. */
const slow = ['test/{browser,hostile}/**/*.test.ts'];
const onPostgresOnly = ['test/**/*.postgres.test.ts'];
/** What reads and writes through the store runs once more on PostgreSQL. */
const onBothEngines = [
  'test/backup/{journey,restore}.test.ts',
  'test/claims/**/*.test.ts',
  'test/compare/**/*.test.ts',
  'test/hostile/{fuzz,held,killed,race,rating,standing}.test.ts',
  'test/http/**/*.test.ts',
  'test/moderation/**/*.test.ts',
  'test/properties/histories/{clocks,restored}.test.ts',
  'test/mcp/{clients,resources,robustness,shared}.test.ts',
  'test/observer/{endpoint,polite,recorded-now,refusal,surface,thread}.test.ts',
  'test/ratings/**/*.test.ts',
  'test/registry/**/*.test.ts',
  'test/store/migrations.test.ts',
  'test/transparency-log/**/*.test.ts',
  'test/webhooks/**/*.test.ts',
];
/** Tests of HTTP alone: their store is never the subject. */
const ofHttpAlone = [
  'test/http/{access-log,answer-cache,caller,discovery,guards,link-cards,markdown,page-cache,refusals,server-card}.test.ts',
];
/** Tests of rules that only pass through the store: `npm run lab test:long` runs them on PostgreSQL too. */
const ofRulesAlone = [
  'test/backup/restore.test.ts',
  'test/claims/{after-the-claim,claim-agent,continuity,control-root,domains,opt-out-ways,registry-key,takeovers}.test.ts',
  'test/compare/**/*.test.ts',
  'test/hostile/fuzz.test.ts',
  'test/http/{api,approvals,badge,client,dates,dead-ends,forms,head,hostile-identifiers,inputs,limits,listing,not-known,origin,pages,private-entries,registry-api,sample,saved-views,search-page,valid-html}.test.ts',
  'test/mcp/{clients,robustness}.test.ts',
  'test/moderation/{actions,blocked,gone-texts,reports,taking-back}.test.ts',
  'test/observer/{endpoint,refusal,surface,thread}.test.ts',
  'test/ratings/{bent-figures,groups,payment-receipt,receipt-keys,rules,service-receipt}.test.ts',
  'test/registry/{hostile,import-status,kill,odd-entries,origin,sample}.test.ts',
  'test/transparency-log/{audit,audit-edits,audit-observations,background-audit,erasure,refused-proofs,statement,withheld-texts}.test.ts',
  'test/webhooks/{delivery,document,openapi,slow-receivers}.test.ts',
];
/** What `npm run test:fast` leaves out beside `slow`: started commands, many processes, long histories. */
const notInFastRing = [
  'test/{backup,bench,cli,nodes,registry,transparency-log,webhooks,witness}/**/*.test.ts',
  'test/{adding-a-tool,exit-code}.test.ts',
  'test/claims/{after-the-claim,claim-agent,continuity,opt-out-ways,takeovers}.test.ts',
  'test/http/{access-log,approvals,ard,changes,discovery,exports,page-cache,private-entries,registry-api,saved-views,shared-limits}.test.ts',
  'test/mcp/{answers,inspector,robustness,stdio}.test.ts',
  'test/moderation/{actions,gone-texts}.test.ts',
  'test/observability/metrics.test.ts',
  'test/properties/histories/*.test.ts',
  'test/observer/{command,faults,hostile,own-outage,polite,read-check,recorded-faults,recorded-now,room,schedule,state,surface}.test.ts',
  'test/ratings/{bent-figures,groups,receipt-keys}.test.ts',
  'test/repositories/{many-claims,reader}.test.ts',
  'test/store/{migrations,sqlite}.test.ts',
];
/** Not for Chromium, which keeps temporary files of its own on the disk. */
const inMemory = 'test/support/memory.ts';
const program = 'test/support/program.ts';
const isLong = process.env.TEST_LONG === 'on';
const isFast = process.env.TEST_FAST === 'on';

export default defineConfig({
  test: {
    pool: 'forks',
    // Files of one worker share modules: importing the service anew took a fifth of the time.
    isolate: false,
    // More than the two cores of CI: half of the time tests wait for processes, disks and timers.
    maxWorkers: 3,
    testTimeout: 180_000,
    // A hook may make dozens of checks, which a busy machine makes slowly; a test then needs few.
    hookTimeout: 600_000,
    // How long a test waits for what has to happen, never how fast it must be: a busy machine passes too.
    expect: { poll: { timeout: 60_000 } },
    // Threads of the service load its source: from this cache in a third of the processor time.
    env: { LOG_LEVEL: 'silent', NODE_COMPILE_CACHE: resolve('node_modules/.cache/dossier-compiled') },
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...onPostgresOnly, ...(isFast ? notInFastRing : [])],
          globalSetup: [inMemory, program],
        },
      },
      {
        extends: true,
        test: { name: 'slow', include: slow, globalSetup: ['test/support/browser-setup.ts', program] },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...onBothEngines, ...onPostgresOnly],
          exclude: isLong ? ofHttpAlone : [...ofHttpAlone, ...ofRulesAlone],
          globalSetup: [inMemory, program, 'test/support/postgres-setup.ts'],
          setupFiles: 'test/support/postgres-environment.ts',
        },
      },
    ],
  },
});
