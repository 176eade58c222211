import { namespaceIdentity } from '../../src/core/identity.ts';
import type { CopyListing } from './listings.ts';
import type { Answers } from './measure.ts';

/**
 * Domains of known products under which the copy of May 2026 has listings, and accounts of GitHub: read from
 * the list of all its namespaces, before any of them was searched for. Namespaces of persons and of services
 * that only exist as an MCP server are left out.
 */
const vendors = `
  appdeploy.ai exa.ai explorium.ai fathom.ai klavis.ai parallel.ai perplexity.ai scite.ai smithery.ai tickettailor.ai
  tinyfish.ai windsor.ai himalayas.app linear.app locize.app thoughtspot.app icecat.biz captcha.cc axiom.co
  huggingface.co tenderly.co 1stdibs.com adbutler.com aftership.com agilitycms.com airtable.com alchemy.com amplitude.com
  apideck.com appsflyer.com arcjet.com atlassian.com auth0.com automox.com blockscout.com brightsec.com chilipiper.com
  close.com cloudflare.com codescene.com devcycle.com devexpress.com devopness.com easyship.com egnyte.com
  epidemicsound.com falkordb.com figma.com finn.com gameanalytics.com getguru.com gibsonai.com gitkraken.com gitlab.com
  glean.com infobip.com ivisa.com jotform.com jumpcloud.com jumpseller.com letta.com longbridge.com mermaidchart.com
  microsoft.com monday.com mux.com newrelic.com notion.com ovhcloud.com paypal.com pentest-tools.com pga.com
  planningcenter.com postman.com predictleads.com pulsemcp.com qovery.com radzen.com railway.com redpanda.com
  roboflow.com scrapingant.com serpstat.com skiplagged.com smartbear.com smartling.com sonatype.com stackhawk.com
  stackoverflow.com statsig.com stimulsoft.com storydoc.com stripe.com supabase.com taxact.com teamwork.com telerik.com
  thousandeyes.com vaadin.com vercel.com webflow.com wherobots.com wix.com zeroheight.com zigpoll.com zomato.com
  composio.dev continue.dev lingo.dev openfeature.dev svelte.dev appcircle.io balldontlie.io bitquery.io carbone.io
  coupler.io cypress.io frase.io fusionauth.io getunleash.io snyk.io globalping.io oxylabs.io port.io prisma.io qase.io
  scrapfly.io searchapi.io testiny.io trunk.io twelvelabs.io veed.io wordlift.io speedof.me todoist.net linkup.so
  ref.tools github.com/getsentry github.com/github github.com/mongodb-js github.com/upstash github.com/browserbase
  github.com/chromedevtools github.com/brave github.com/redis github.com/firebase github.com/neondatabase
  github.com/elastic github.com/hashicorp github.com/grafana github.com/apify github.com/clickhouse`
  .trim()
  .split(/\s+/);

/** A query, and whose listing should be first. */
interface VendorQuery {
  readonly query: string;
  readonly vendor: string;
}

/** The name of every vendor that has a listing in its own namespace, and for a domain also the domain. */
export function makeVendorQueries(listings: readonly CopyListing[]): {
  names: VendorQuery[];
  domains: VendorQuery[];
} {
  const present = new Set(listings.map(({ handle }) => namespaceIdentity(handle)));
  const known = vendors.filter((vendor) => present.has(vendor));
  return {
    names: known.map((vendor) => ({ query: vendor.split('/')[1] ?? vendor.split('.')[0] ?? '', vendor })),
    domains: known.filter((vendor) => !vendor.includes('/')).map((vendor) => ({ query: vendor, vendor })),
  };
}

/** Queries whose first hit is no listing of the vendor. */
export const missedVendors = ({ byQuery }: Answers, queries: readonly VendorQuery[]): VendorQuery[] =>
  queries.filter(({ query, vendor }) => {
    const [first] = byQuery.get(query) ?? [];
    return first === undefined || namespaceIdentity(first) !== vendor;
  });
