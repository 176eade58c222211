import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Node, Renderer } from '@takumi-rs/wasm/node';
import type { LinkCard } from './link-card.ts';

const width = 1200;
const height = 630;
const ink = '#191b1e';
const soft = '#555a61';

const renderer = new Renderer();
const icon = readFileSync(new URL('../assets/icon.svg', import.meta.url));
const font = readFile(new URL('../assets/inter-medium.woff2', import.meta.url));
const ready = font.then((data) => renderer.registerFont({ name: 'Inter', data }));

const textLine = (text: string, fontSize: number, style: object = {}): Node => ({
  type: 'text',
  text,
  style: { fontSize, lineHeight: 1.25, wordBreak: 'break-word', ...style },
});

const column = (children: Node[], style: object = {}): Node => ({
  type: 'container',
  style: { display: 'flex', flexDirection: 'column', ...style },
  children,
});

/** So that the longest handle fits on three lines. */
const headingSize = ({ length }: string) => (length > 120 ? 32 : length > 90 ? 38 : length > 45 ? 50 : 64);

const toNode = ({ service, eyebrow, heading, words, statement }: LinkCard): Node =>
  column(
    [
      column(
        [
          column([{ type: 'image', src: 'icon', width: 40, height: 40 }, textLine(service, 30)], {
            flexDirection: 'row',
            alignItems: 'center',
            gap: 14,
          }),
          textLine(eyebrow, 24, { color: soft }),
        ],
        { flexDirection: 'row', justifyContent: 'space-between', alignItems: 'center' },
      ),
      column(
        [
          textLine(heading, headingSize(heading), { lineClamp: 4 }),
          ...(words === undefined ? [] : [textLine(words, 32, { color: soft, marginTop: 20, lineClamp: 3 })]),
        ],
        { flexGrow: 1, justifyContent: 'center' },
      ),
      textLine(statement, statement.length > 240 ? 22 : 28, {
        borderTop: `2px solid ${ink}`,
        paddingTop: 24,
      }),
    ],
    {
      width: '100%',
      height: '100%',
      padding: 64,
      backgroundColor: '#fdfdfa',
      color: ink,
      fontFamily: 'Inter',
    },
  );

/** Takes tens of milliseconds of processor time. */
export async function drawLinkCard(card: LinkCard): Promise<Uint8Array<ArrayBuffer>> {
  await ready;
  return renderer.render(toNode(card), {
    width,
    height,
    format: 'png',
    images: [{ src: 'icon', data: icon }],
  });
}
