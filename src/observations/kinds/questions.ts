import { own } from '../../core/words.ts';
import type { Listing } from '../../listings/listing.ts';
import type { AskedKind } from '../kind.ts';

/** What buyers ask that several kinds of fact answer, or none: each says what it is and where a record might state it. */
const define = <const Name extends string>(asked: AskedKind & { readonly kind: Name }) => asked;

/** What it costs; payment methods and payees are no price. */
export const anyPrice = define({
  kind: 'price',
  question: 'price',
  name: 'price',
  line: 'costs',
  unstated: {
    what: own('a price'),
    fields: /pric|cost|fee|billing|payment|plan|tier|subscri|currency|monetiz/i,
  },
});

/** What callers must send. */
export const credentials = define({
  kind: 'auth',
  question: 'access',
  name: 'credentials',
  line: 'asks',
  unstated: {
    what: own('what a caller must send'),
    isAsked: ({ remotes, packages }) => ![...remotes, ...packages].some(({ inputs }) => inputs),
    fields: /auth|key|token|secret|credential|login|oauth/i,
    standsWith: ['endpoint', 'package'],
  },
});

/** Who runs it. */
export const operator = define({
  kind: 'operator',
  question: 'publisher',
  name: 'operator',
  unstated: {
    what: own('who operates the service'),
    fields: /vendor|operator|maintainer|publisher|author|owner|provider|company|organi[sz]ation|contact/i,
  },
});

const hasRepository = ({ repository_key }: Listing) => repository_key !== undefined;

/** Where its source is. */
export const sourceRepository = define({
  kind: 'repository',
  question: 'code',
  name: 'repository',
  line: 'whose',
  unstated: {
    what: own('a source repository'),
    isAsked: (listing) => !hasRepository(listing),
    copyField: 'repository',
  },
});

/** Whether the recorded repository holds its source. */
export const repositoryContents = define({
  kind: 'repository.contents',
  restsOn: 'repository',
  question: 'code',
  name: 'repository contents',
  isSeldom: true,
  unchecked: {
    what: own('whether the recorded repository holds the code of the service'),
    isAsked: hasRepository,
  },
});

/** What those who used it say, here. */
export const nativeRatings = define({
  kind: 'ratings.native',
  question: 'ratings',
  name: 'what others met',
  line: 'rated',
});

/** What becomes of the data of callers. */
export const dataHandling = define({
  kind: 'data_handling',
  question: 'terms',
  name: 'data handling',
  unstated: {
    what: own('how data is handled'),
    fields: /privacy|data|gdpr|retention|compliance|security|policy/i,
  },
});

/** Where it runs. */
export const region = define({
  kind: 'region',
  question: 'terms',
  name: 'region',
  unstated: {
    what: own('the region that the service runs in'),
    fields: /region|location|residency|jurisdiction|country|hosting/i,
  },
});

/** Under which licence its code is. */
export const licence = define({
  kind: 'licence',
  question: 'terms',
  name: 'licence',
  unstated: { what: own('a licence'), fields: /licen[cs]e|spdx/i },
});

/** Who helps. */
export const support = define({
  kind: 'support',
  question: 'terms',
  name: 'support',
  unstated: { what: own('support'), fields: /support|help|contact|email|issue|bug|maintainer/i },
});
