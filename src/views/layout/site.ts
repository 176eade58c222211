import type { Config } from '../../config/config.ts';
import type { Assets } from './assets.ts';

/** What every page is rendered with. */
export interface Site {
  readonly config: Config;
  readonly assets: Assets;
}
