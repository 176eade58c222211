import type { ListingDocument } from '../../document/listing-document.ts';
import type { OverTime } from '../../tools/find/pictures.ts';
import type { Html } from '../html.ts';
import { axisPicture } from './axis.ts';
import { daysPictures, stripPictures } from './days.ts';
import { pricePictures } from './prices.ts';

const picturesBeside =
  (ofDays: (observations: ListingDocument['observations'], today: string) => Html[]) =>
  (listing: ListingDocument, overTime: OverTime): Html[] => {
    const today = listing.evidence_snapshot_date;
    return [
      ...ofDays(listing.observations, today),
      ...pricePictures(overTime, today),
      ...axisPicture(listing, overTime),
    ];
  };

export const pagePictures = picturesBeside(daysPictures);
/** Every answer over MCP has these. */
export const cardPictures = picturesBeside(stripPictures);
