import type { ClaimedDirectory } from '../test/support/claimed-directory.ts';
import { connect } from '../test/support/mcp-clients.ts';
import { observedStates } from '../test/support/observed-entries.ts';

/** One part of the session, which appears at once; `tone` is the class of its lines. */
interface Part {
  readonly tone: 'person' | 'call' | 'answer' | 'agent';
  readonly text: string;
}

const columns = 98;
const letter = { width: 7.83, height: 19 };
const margin = 22;
const host = 'mcp.quotewire.com';

/** What the endpoint asks for before a call of its tool. */
async function askForQuote({ context }: ClaimedDirectory) {
  const call = { method: 'tools/call', params: { name: 'quote', arguments: { symbol: 'ACME' } } };
  const { status, headers } = await fetch(new URL('/mcp', context.config.hostOverrides[host]), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
  });
  const asked = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString();
  const { accepts } = JSON.parse(asked) as { accepts: object[] };
  return { status, accepts };
}

/** What an agent does that asks before it pays: the answers are real, the listing is made up. */
async function playSession(directory: ClaimedDirectory): Promise<Part[]> {
  const { status, accepts } = await askForQuote(directory);
  const agent = await connect('v2', { url: directory.url });
  const { content } = await agent.call('check_offer', { url: `https://${host}/mcp`, offer: accepts });
  await agent.close();
  return [
    { tone: 'person', text: `Buy a quote for ACME from ${observedStates.paid}.` },
    { tone: 'call', text: `POST https://${host}/mcp` },
    { tone: 'answer', text: `${status} Payment Required` },
    { tone: 'call', text: 'dossier: check_offer, with the offer of this answer' },
    { tone: 'answer', text: content[0]?.text ?? '' },
    { tone: 'agent', text: 'I have not paid. The payee replaced another one: pay 0.05 USDC? [y/N]' },
  ];
}

/** The lines of a text, at most as long as the picture is wide. */
function wrap(text: string): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = [''];
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1) ?? '';
      const indent = paragraph.startsWith('* ') ? '  ' : '';
      if (last === '') lines[lines.length - 1] = word;
      else if (last.length + word.length < columns) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(indent + word);
    }
    return lines;
  });
}

const toXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** When each part appears, in percent of one round, and how it is set off. */
const appears = [2, 14, 20, 28, 36, 62];
const marks = { person: '> ', call: '● ', answer: '  ', agent: '● ' };
const round_s = 18;

const style = `
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: #1b1b20; }
rect { fill: #fdfdfa; stroke: #d6d6cf; }
.person text, .agent text { font-weight: 700; }
.call text { fill: #1d4a8b; }
@media (prefers-color-scheme: dark) {
  text { fill: #ececf0; } rect { fill: #16161a; stroke: #3a3a42; } .call text { fill: #9cc2ff; }
}
${appears
  .map(
    (percent, at) =>
      `@keyframes p${at} { 0% { opacity: 0; } ${percent}% { opacity: 1; } 98% { opacity: 0; } }\n.p${at} { animation: p${at} ${round_s}s step-end infinite; }`,
  )
  .join('\n')}
@media (prefers-reduced-motion: reduce) { g { animation: none !important; } }`;

/** An animated SVG, without script, of a session with the directory of `npm run try:evidence`. */
export async function drawSession(directory: ClaimedDirectory): Promise<string> {
  let y = margin;
  const parts = (await playSession(directory)).map(({ tone, text }, at) => {
    const lines = wrap(text).map((line, nth) => {
      y += letter.height;
      const mark = nth === 0 ? marks[tone] : '  ';
      return `<text x="${margin}" y="${y}">${toXml(mark + line)}</text>`;
    });
    if (tone !== 'call') y += letter.height / 2;
    return `<g class="${tone} p${at}">\n${lines.join('\n')}\n</g>`;
  });
  const width = Math.ceil(columns * letter.width + 3 * margin);
  const height = Math.ceil(y + margin);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">An agent asks Dossier about an offer before it pays</title>
<style>${style}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`;
}
