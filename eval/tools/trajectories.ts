import { type Called, other, subject } from './directory.ts';

type Call = (tool: string, input: object) => Promise<Called>;

/** A first call that fails, and the second one, made of nothing but what the first one answered. */
export interface Trajectory {
  readonly name: string;
  run(call: Call): Promise<boolean>;
}

const errorOf = ({ answer }: Called) => answer.error as { code: string; message: string; near?: string[] };

const withNear = (name: string, handle: string): Trajectory => ({
  name,
  async run(call) {
    const [near] = errorOf(await call('get_agent', { handle })).near ?? [];
    const { answer } = await call('get_agent', { handle: near });
    return answer.handle === subject;
  },
});

/** How agents recover, each in at most two calls. */
export const trajectories: readonly Trajectory[] = [
  withNear('a misspelt handle', 'com.example.sms/gatway'),
  withNear('a handle with other capitals', 'com.example.SMS/gateway'),
  {
    name: 'a comparison without criteria',
    async run(call) {
      const { answer, isError } = await call('compare_agents', { handles: [subject, other] });
      return !isError && (answer.listings as unknown[]).length === 2;
    },
  },
  {
    name: 'a misspelt criterion',
    async run(call) {
      const { message } = errorOf(
        await call('compare_agents', { handles: [subject, other], criteria: ['claimd'] }),
      );
      const nearest = /the nearest is (\w+)/.exec(message)?.[1];
      return !(await call('compare_agents', { handles: [subject, other], criteria: [nearest] })).isError;
    },
  },
  {
    name: 'a missing field',
    async run(call) {
      const named = /(\w+) is required/.exec(errorOf(await call('get_agent', {})).message)?.[1] ?? '';
      return !(await call('get_agent', { [named]: subject })).isError;
    },
  },
  {
    name: 'a value that is not offered',
    async run(call) {
      const { message } = errorOf(await call('search_agents', { query: 'sms', transport: 'http' }));
      const nearest = /the nearest is ([\w-]+)/.exec(message)?.[1];
      return !(await call('search_agents', { query: 'sms', transport: nearest })).isError;
    },
  },
  {
    name: 'a rating without a capability',
    async run(call) {
      const interaction = {
        interaction_id: 'j-2',
        interaction_at: new Date().toISOString(),
        outcome: 'failed',
      };
      const rating = { handle: subject, ...interaction, protocol: 'mcp', relationship: 'customer' };
      const { code, message } = errorOf(await call('submit_rating', rating));
      if (code !== 'capability_required' || !message.includes('submit_feedback')) return false;
      return !(await call('submit_feedback', { message: 'It failed.', handle: subject })).isError;
    },
  },
  {
    name: 'a word that no listing has',
    async run(call) {
      const { answer } = await call('search_agents', { query: 'smss' });
      const [meant] = (answer.did_you_mean as { near: string[] }[]) ?? [];
      const again = await call('search_agents', { query: meant?.near[0] });
      return (again.answer.listings as { handle: string }[])[0]?.handle === subject;
    },
  },
];
