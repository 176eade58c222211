import type { Fixtures } from './answer.ts';

export const fixtures: Fixtures = { register: () => {}, needsStream: () => false };
