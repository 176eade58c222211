import { ask } from './ask.ts';
import { type Check, fault, fine, warning } from './check.ts';

/** A Date header has whole seconds, and an answer takes time. */
const tolerated_ms = 5000;

/** Dates of ratings, checks and leases are this clock's: one that is ahead suspends claims, one set back repeats dates. */
export const clock: Check = {
  name: 'clock',
  async look({ config, store, clock: now }) {
    const { done } = (await store?.imports.last()) ?? {};
    const stored_ms = Date.parse(done?.finished_at ?? '');
    if (stored_ms > now().getTime() + tolerated_ms)
      return [
        fault(
          `the newest import is dated ${done?.finished_at}, which is in the future: this clock is behind, or was ahead`,
          'set the clock (NTP), then restart the service',
        ),
      ];
    if (!/^https?:/.test(config.registryUrl))
      return [fine('nothing to compare it with (REGISTRY_URL is no address)')];
    const answer = await ask(`${config.registryUrl}/v0.1/servers?limit=1`);
    const ahead_ms = typeof answer === 'string' ? undefined : answer.ahead_ms;
    if (ahead_ms === undefined) return [warning('no other clock answered', 'see registry')];
    if (Math.abs(ahead_ms) <= tolerated_ms) return [fine('agrees with the registry’s to a few seconds')];
    const seconds = Math.round(Math.abs(ahead_ms) / 1000);
    return [
      fault(
        `${seconds} s ${ahead_ms > 0 ? 'behind' : 'ahead of'} the registry’s`,
        'set it (NTP), then restart the service',
      ),
    ];
  },
};
