import type { Config } from '../config.ts';
export const toLlmsTxt = (config: Config): string => `# ${config.serviceName}\n`;
