/** A value measured at x, with the least and the most of its rounds. */
export type ChartPoint = { readonly x: number; readonly y: number; readonly least: number; readonly most: number };
export type ChartLine = { readonly name: string; readonly points: readonly ChartPoint[] };
/** `x` is drawn on a logarithmic scale and is not negative; `y` begins at 0. */
export type LineChart = {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly ChartLine[];
};

const size = { width: 720, height: 400 };
const frame = { left: 84, right: 24, top: 48, bottom: 58 };
const legend = { lineHeight: 20, perRow: 3 };
/** Told apart on white and on near-black, also by who does not see red and green. */
const colours = ['#2f81d6', '#d55e00', '#009e73', '#cc79a7', '#a6761d', '#56b4e9'] as const;
const dashes = ['none', '7 4', '2 3'] as const;

const style = `
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .quiet { fill: #59636e }
  .grid { stroke: #d1d9e0; stroke-width: 1 } .axis { stroke: #59636e; stroke-width: 1 }
  text { font: 13px system-ui, sans-serif } .title { font-size: 15px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .grid { stroke: #30363d } .axis { stroke: #9198a1 }
  }`;

/** An SVG that stands by itself and follows the reader's light or dark scheme. @throws RangeError without a point, or for x < 0 */
export function drawLineChart({ title, xLabel, yLabel, lines }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const [first, last] = [xs[0], xs.at(-1)];
  if (first === undefined || last === undefined || first < 0) throw new RangeError('a chart needs points with x >= 0');
  // Logarithmic, and with a place for none.
  const scaled = (x: number): number => Math.log(first === 0 ? x + 1 : x);
  const ticks = niceTicks(Math.max(...points.map(({ most }) => most)));
  const top = ticks.at(-1) as number;
  const legendHeight = Math.ceil(lines.length / legend.perRow) * legend.lineHeight;
  const plot = {
    left: frame.left,
    right: size.width - frame.right,
    top: frame.top + legendHeight,
    bottom: size.height + legendHeight - frame.bottom,
  };
  const height = size.height + legendHeight;
  const xAt = (x: number): number =>
    first === last
      ? (plot.left + plot.right) / 2
      : plot.left + 16 + ((plot.right - plot.left - 32) * (scaled(x) - scaled(first))) / (scaled(last) - scaled(first));
  const yAt = (y: number): number => plot.bottom - ((plot.bottom - plot.top) * y) / top;

  const legendX = (i: number): number => plot.left + ((i % legend.perRow) * (plot.right - plot.left)) / legend.perRow;
  const legendY = (i: number): number => frame.top + Math.floor(i / legend.perRow) * legend.lineHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" width="${size.width}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${size.width}" height="${height}"/>`,
    text(plot.left, 26, title, 'ink title', 'start'),
    ...lines.flatMap(({ name }, i) => [
      stroke(`M${legendX(i)} ${legendY(i) - 4}h26`, i),
      text(legendX(i) + 32, legendY(i), name, 'ink', 'start'),
    ]),
    ...ticks.flatMap((tick) => [
      `<path class="${tick === 0 ? 'axis' : 'grid'}" d="M${plot.left} ${at(yAt(tick))}H${plot.right}"/>`,
      text(plot.left - 8, yAt(tick) + 4, figure(tick), 'quiet', 'end'),
    ]),
    ...xs.flatMap((x) => [
      `<path class="axis" d="M${at(xAt(x))} ${plot.bottom}v5"/>`,
      text(xAt(x), plot.bottom + 20, figure(x), 'quiet', 'middle'),
    ]),
    text((plot.left + plot.right) / 2, height - 14, xLabel, 'ink', 'middle'),
    `<text class="ink" text-anchor="middle" transform="translate(20 ${(plot.top + plot.bottom) / 2}) rotate(-90)">${escapeText(yLabel)}</text>`,
    ...lines.flatMap((line, i) => drawn(line, i, xAt, yAt)),
    '</svg>',
    '',
  ].join('\n');
}

function drawn(line: ChartLine, index: number, xAt: (x: number) => number, yAt: (y: number) => number): string[] {
  const points = line.points.toSorted((a, b) => a.x - b.x);
  const colour = colourOf(index);
  const way = points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${at(xAt(x))} ${at(yAt(y))}`).join('');
  const spreads = points.map(({ x, least, most }) => `M${at(xAt(x))} ${at(yAt(least))}V${at(yAt(most))}`).join('');
  return [
    stroke(way, index),
    `<path fill="none" stroke="${colour}" stroke-width="1" opacity="0.7" d="${spreads}"/>`,
    ...points.map(({ x, y }) => `<circle cx="${at(xAt(x))}" cy="${at(yAt(y))}" r="3.5" fill="${colour}"/>`),
  ];
}

const colourOf = (index: number): string => colours[index % colours.length] as string;
const stroke = (way: string, index: number): string =>
  `<path fill="none" stroke="${colourOf(index)}" stroke-width="2" stroke-dasharray="${dashes[index % dashes.length]}" d="${way}"/>`;
const text = (x: number, y: number, content: string, look: string, anchor: string): string =>
  `<text class="${look}" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escapeText(content)}</text>`;
const at = (value: number): string => String(Math.round(value * 10) / 10);
const figure = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 3 });

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeText = (content: string): string => content.replace(/[&<>"]/g, (one) => escapes[one] as string);

/** From 0 in four to eight round steps to at least `most`. */
export function niceTicks(most: number): number[] {
  const bound = most > 0 ? most : 1;
  const power = 10 ** Math.floor(Math.log10(bound / 4));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => bound / (power * factor) <= 8) as number);
  const steps = Math.ceil(bound / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
