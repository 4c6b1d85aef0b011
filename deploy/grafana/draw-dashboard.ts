import type { Dashboard, Panel } from './dashboards.ts';
import { formatValue, ticksUpTo } from './values.ts';

/** A series of a panel: its legend, and its values by time, both in seconds. */
export type PanelSeries = {
  readonly legend: string;
  readonly values: readonly (readonly [time: number, value: number])[];
};
/** What the queries of a panel returned, in the order of the dashboard's panels. */
export type PanelData = { readonly panel: Panel; readonly series: readonly PanelSeries[] };

const columns = 3;
const cell = { width: 420, height: 250, gap: 10 };
const plot = { left: 58, right: 14, top: 34, bottom: 66 };
const mostInLegend = 6;
/** Distinct on white and on near-black, and to readers who cannot tell red from green. */
const colours = ['#2f81d6', '#d55e00', '#009e73', '#cc79a7', '#a6761d', '#56b4e9'] as const;

const style = `
  .paper { fill: #f6f8fa } .panel { fill: #ffffff; stroke: #d1d9e0 } .ink { fill: #1f2328 } .quiet { fill: #59636e }
  .grid { stroke: #e5e9ed; stroke-width: 1 }
  text { font: 11px system-ui, sans-serif } .title { font-size: 12px; font-weight: 600 } .head { font-size: 16px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #010409 } .panel { fill: #0d1117; stroke: #30363d } .ink { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .grid { stroke: #21262d }
  }`;

/**
 * The panels of a dashboard as one SVG, as Grafana lays them out, with what their queries returned between two times (Unix seconds).
 * It follows the reader's light or dark scheme.
 */
export function drawDashboard(dashboard: Dashboard, data: readonly PanelData[], from: number, to: number): string {
  const rows = Math.ceil(data.length / columns);
  const width = columns * (cell.width + cell.gap) + cell.gap;
  const height = 44 + rows * (cell.height + cell.gap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Indelible: ${escaped(dashboard.title)}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    text(cell.gap, 28, `Indelible: ${dashboard.title}`, 'ink head'),
    ...data.flatMap((one, i) => {
      const x = cell.gap + (i % columns) * (cell.width + cell.gap);
      const y = 44 + Math.floor(i / columns) * (cell.height + cell.gap);
      return [`<g transform="translate(${x} ${y})">`, ...drawPanel(one, from, to), '</g>'];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel({ panel, series }: PanelData, from: number, to: number): string[] {
  const shown = series.filter(({ values }) => values.length > 0);
  const most = Math.max(0, ...shown.flatMap(({ values }) => values.map(([, value]) => value)));
  const ticks = ticksUpTo(most);
  const top = ticks.at(-1) as number;
  const [right, bottom] = [cell.width - plot.right, cell.height - plot.bottom];
  const xAt = (time: number): number => plot.left + ((right - plot.left) * (time - from)) / (to - from);
  const yAt = (value: number): number => bottom - ((bottom - plot.top) * Math.max(0, value)) / top;
  return [
    `<rect class="panel" width="${cell.width}" height="${cell.height}" rx="4"/>`,
    text(12, 21, panel.title, 'ink title'),
    ...ticks.flatMap((tick) => [
      `<path class="grid" d="M${plot.left} ${at(yAt(tick))}H${right}"/>`,
      text(plot.left - 6, yAt(tick) + 4, formatValue(tick, panel.unit), 'quiet', 'end'),
    ]),
    text(plot.left, bottom + 16, clock(from), 'quiet'),
    text(right, bottom + 16, clock(to), 'quiet', 'end'),
    ...shown.flatMap(({ values }, i) => drawSeries(values, colourOf(i), xAt, yAt)),
    ...drawLegend(shown, bottom + 32),
  ];
}

function drawSeries(
  values: PanelSeries['values'],
  colour: string,
  xAt: (time: number) => number,
  yAt: (value: number) => number,
): string[] {
  const way = values.map(([time, value], i) => `${i === 0 ? 'M' : 'L'}${at(xAt(time))} ${at(yAt(value))}`).join('');
  return [`<path fill="none" stroke="${colour}" stroke-width="1.5" d="${way}"/>`];
}

function drawLegend(series: readonly PanelSeries[], y: number): string[] {
  if (series.length === 0) return [text(plot.left, y, 'no data', 'quiet')];
  const named = series.slice(0, mostInLegend);
  const lines = named.flatMap(({ legend }, i) => {
    const x = 12 + (i % 3) * 134;
    const line = y + Math.floor(i / 3) * 15;
    return [
      `<path stroke="${colourOf(i)}" stroke-width="3" d="M${x} ${line - 4}h10"/>`,
      text(x + 14, line, shortened(legend), 'quiet'),
    ];
  });
  const more = series.length - named.length;
  return more === 0 ? lines : [...lines, text(cell.width - 12, 21, `+ ${more} series`, 'quiet', 'end')];
}

const colourOf = (index: number): string => colours[index % colours.length] as string;
const shortened = (legend: string): string => (legend.length <= 19 ? legend : `${legend.slice(0, 18)}…`);
const clock = (time: number): string => `${new Date(time * 1_000).toISOString().slice(11, 19)} UTC`;
const at = (value: number): string => String(Math.round(value * 10) / 10);
const text = (x: number, y: number, content: string, look: string, anchor = 'start'): string =>
  `<text class="${look}" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (content: string): string => content.replace(/[&<>"]/g, (one) => escapes[one] as string);
