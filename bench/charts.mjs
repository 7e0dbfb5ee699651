// Bar charts as SVG, written by hand: no scripts, style sheets or fonts, readable on light and dark pages.

/** Readable on both white and near-black. */
const colours = { text: "#7d8590", grid: "#7d859055", series: ["#2f81f7", "#d29922", "#8b949e", "#3fb950"] };

const width = 860;
const labelWidth = 270;
const valueWidth = 90;
const barHeight = 14;
const groupGap = 12;
const font = 'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** "0.53", "5.4", "12". */
function figure(value) {
  if (value >= 10) return value.toFixed(0);
  return value.toFixed(value >= 1 ? 1 : 2);
}

/** A round distance between grid lines, for four to eight of them. */
function gridStep(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
}

/**
 * A chart of grouped horizontal bars.
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.unit of all values; more is better
 * @param {string[]} chart.series names, in the order of each group's values
 * @param {{label: string, values: (number | undefined)[]}[]} chart.groups
 * @returns {string} an SVG document
 */
export function barChart({ title, unit, series, groups }) {
  const most = Math.max(...groups.flatMap(({ values }) => values.filter((v) => v !== undefined)));
  const plotWidth = width - labelWidth - valueWidth;
  const scale = (value) => (value / most) * plotWidth;
  const top = 64;
  const parts = [];
  let y = top;
  for (const { label, values } of groups) {
    const bars = values.flatMap((value, i) =>
      value === undefined ? [] : [{ value, colour: colours.series[i] }],
    );
    const middle = y + (bars.length * barHeight) / 2;
    parts.push(text(labelWidth - 10, middle + 4, label, 'text-anchor="end"'));
    for (const { value, colour } of bars) {
      const long = Math.max(1, scale(value)).toFixed(1);
      parts.push(
        `<rect x="${labelWidth}" y="${y}" width="${long}" height="${barHeight - 2}" fill="${colour}"/>`,
      );
      parts.push(text(labelWidth + Number(long) + 6, y + barHeight - 4, figure(value), 'font-size="11"'));
      y += barHeight;
    }
    y += groupGap;
  }
  const bottom = y - groupGap + 4;
  const grid = [];
  for (let value = 0; value <= most; value += gridStep(most)) {
    const x = (labelWidth + scale(value)).toFixed(1);
    grid.push(`<line x1="${x}" y1="${top - 6}" x2="${x}" y2="${bottom}" stroke="${colours.grid}"/>`);
    grid.push(
      text(x, bottom + 14, String(Number(value.toPrecision(3))), 'text-anchor="middle" font-size="11"'),
    );
  }
  const height = bottom + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<g ${font} font-size="13" fill="${colours.text}">`,
    text(0, 18, `${title} (${unit}, more is better)`, 'font-size="15" font-weight="600"'),
    ...legend(series),
    ...grid,
    ...parts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function text(x, y, content, attributes) {
  return `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;
}

function legend(series) {
  let x = 0;
  return series.flatMap((name, i) => {
    const at = x;
    x += 40 + name.length * 7;
    return [
      `<rect x="${at}" y="32" width="12" height="12" fill="${colours.series[i]}"/>`,
      text(at + 18, 42, name, 'font-size="12"'),
    ];
  });
}
