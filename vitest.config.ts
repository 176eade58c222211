import { defineConfig } from 'vitest/config';

/** What reads and writes through the store runs once more on PostgreSQL. */
const onBothEngines = [
  'test/backup/{journey,restore}.test.ts',
  'test/claims/**/*.test.ts',
  'test/compare/**/*.test.ts',
  'test/http/**/*.test.ts',
  'test/mcp/{clients,resources,robustness}.test.ts',
  'test/ratings/**/*.test.ts',
  'test/transparency-log/**/*.test.ts',
  'test/registry/**/*.test.ts',
  'test/hostile/{fuzz,killed,race,rating}.test.ts',
  'test/store/migrations.test.ts',
];
const onPostgresOnly = ['test/**/*.postgres.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { LOG_LEVEL: 'silent' },
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: onPostgresOnly,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...onBothEngines, ...onPostgresOnly],
          globalSetup: 'test/support/postgres-setup.ts',
          setupFiles: 'test/support/postgres-environment.ts',
        },
      },
    ],
  },
});
