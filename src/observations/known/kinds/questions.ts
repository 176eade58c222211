import { own } from '../../../core/words.ts';
import type { AskedKind } from '../kind.ts';

/** A payment method or a payee is no price. */
export const anyPrice: AskedKind = {
  kind: 'price',
  question: 'price',
  name: 'price',
  line: 'costs',
  unstated: {
    what: own('a price'),
    fields: /pric|cost|fee|billing|payment|plan|tier|subscri|currency|monetiz/i,
  },
  // A publisher may state it in any text, so that it is never not stated.
  unchecked: { what: own('whether a payment is asked for') },
};

export const credentials: AskedKind = {
  kind: 'auth',
  question: 'access',
  name: 'credentials',
  line: 'asks',
  unstated: {
    what: own('what a caller must send'),
    isAsked: ({ remotes, packages }) => ![...remotes, ...packages].some(({ inputs }) => inputs),
    fields: /auth|key|token|secret|credential|login|oauth|header|variable|argument/i,
    standsWith: ['endpoint', 'package'],
    readIn: own('the headers, variables and arguments of the record'),
  },
};

export const sourceRepository: AskedKind = {
  kind: 'repository',
  question: 'code',
  name: 'repository',
  line: 'whose',
  unstated: {
    what: own('a source repository'),
    isAsked: ({ repository_key }) => repository_key === undefined,
    copyField: 'repository',
    fields: /^repository$/,
    readIn: own('the record’s “repository”'),
  },
};

export const nativeRatings: AskedKind = {
  kind: 'ratings.native',
  question: 'ratings',
  name: 'ratings by others',
  line: 'rated',
};

/** Ends each answer of no change, so that nobody takes it for one about what nothing reads. */
export const whatIsCompared =
  'A change is looked for only in the kinds of facts that Dossier keeps, never in certificates, DNS records or running code.';

export const otherQuestions: readonly AskedKind[] = [
  anyPrice,
  credentials,
  {
    kind: 'endpoint.certificate',
    question: 'reach',
    name: 'certificate',
    isSeldom: true,
    unchecked: {
      what: own('whether the certificate or the DNS records of a host of the service changed'),
      isAsked: ({ remotes }) => remotes.length > 0,
      isOfAll: true,
    },
  },
  {
    kind: 'operator',
    question: 'publisher',
    name: 'operator',
    unstated: {
      what: own('who operates the service'),
      fields: /vendor|operator|maintainer|publisher|author|owner|provider|company|organi[sz]ation|contact/i,
    },
  },
  sourceRepository,
  {
    kind: 'repository.contents',
    question: 'code',
    name: 'repository contents',
    restsOn: 'repository',
    isSeldom: true,
    unchecked: {
      what: own('whether the recorded repository holds the code of the service, or is archived'),
      isAsked: ({ repository_key }) => repository_key !== undefined,
    },
  },
  nativeRatings,
  {
    kind: 'data_handling',
    question: 'terms',
    name: 'data handling',
    unstated: {
      what: own('how data is handled'),
      fields: /privacy|data|gdpr|retention|compliance|security|policy/i,
    },
  },
  {
    kind: 'region',
    question: 'terms',
    name: 'region',
    unstated: {
      what: own('the region that the service runs in'),
      fields: /region|location|residency|jurisdiction|country|hosting/i,
    },
  },
  {
    kind: 'licence',
    question: 'terms',
    name: 'licence',
    isSeldom: true,
    unstated: { what: own('a licence'), fields: /licen[cs]e|spdx/i },
    unchecked: {
      what: own('which licence the recorded repository has'),
      isAsked: ({ repository_key }) => repository_key !== undefined,
      isElsewhere: true,
    },
  },
  {
    kind: 'support',
    question: 'terms',
    name: 'support',
    unstated: { what: own('support'), fields: /support|help|contact|email|issue|bug|maintainer/i },
  },
];
