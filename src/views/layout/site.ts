import type { Config } from '../../config/config.ts';
import type { Assets } from './assets.ts';

/** What every page needs to be rendered. */
export interface Site {
  readonly config: Config;
  readonly assets: Assets;
}
