import type { Config } from './config.ts';

/** Name of the place that this service looks from: OBSERVE_VANTAGE, else the host of PUBLIC_URL. */
export const vantageOf = ({ observeVantage, publicUrl }: Config): string =>
  observeVantage || new URL(publicUrl).host;
