interface Point {
  readonly step: number
  readonly loss: number
}

/** Data of a job's loss curve. */
export interface LossCurve {
  readonly steps: readonly Point[]
  readonly validations: readonly Point[]
}

const WIDTH = 640
const HEIGHT = 320
const FRAME = { left: 56, right: 16, top: 36, bottom: 40 } as const
/** Points of a line; beyond that neighbours are averaged. */
const MOST_POINTS = 300
const TICKS = 5
const COLOURS = { loss: '#9ab8e0', smooth: '#1f5fae', validation: '#c2410c', axis: '#555555', grid: '#e5e5e5' } as const
/** Weight of the previous value in the smoothed line, for each step of a short job. */
const SMOOTHING = 0.8

/**
 * Draws the losses of a job over its steps as an SVG picture: of each step, smoothed, and of the validation rows. The
 * same history gives the same text.
 */
export function lossCurveSvg({ steps, validations: looks }: LossCurve): string {
  const points = thin(steps)
  const validations = thin(looks)
  const smooth = thin(smoothed(steps))
  const all = [...points, ...validations]
  const lastStep = Math.max(1, ...all.map(({ step }) => step))
  const [low, high, tick] = niceRange(all.map(({ loss }) => loss))
  const x = (step: number): number => FRAME.left + (step / lastStep) * (WIDTH - FRAME.left - FRAME.right)
  const y = (loss: number): number => FRAME.top + ((high - loss) / (high - low)) * (HEIGHT - FRAME.top - FRAME.bottom)
  const line = (points: readonly Point[], colour: string, width: number): string => {
    const path = points.map(({ step, loss }, i) => `${i === 0 ? 'M' : 'L'}${fixed(x(step))} ${fixed(y(loss))}`).join('')
    return path === '' ? '' : `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}"/>`
  }
  const bottom = HEIGHT - FRAME.bottom
  const losses = Array.from({ length: Math.round((high - low) / tick) + 1 }, (_, i) => low + i * tick)
  const stepTicks = Array.from({ length: TICKS + 1 }, (_, i) => Math.round((i * lastStep) / TICKS))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="11" fill="${COLOURS.axis}">`,
    '<title>Loss over the steps of training</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...losses.flatMap((loss) => [
      `<path d="M${FRAME.left} ${fixed(y(loss))}H${WIDTH - FRAME.right}" stroke="${COLOURS.grid}"/>`,
      `<text x="${FRAME.left - 8}" y="${fixed(y(loss) + 4)}" text-anchor="end">${trimmed(loss)}</text>`,
    ]),
    ...[...new Set(stepTicks)].map(
      (step) => `<text x="${fixed(x(step))}" y="${bottom + 16}" text-anchor="middle">${step}</text>`,
    ),
    `<path d="M${FRAME.left} ${FRAME.top}V${bottom}H${WIDTH - FRAME.right}" fill="none" stroke="${COLOURS.axis}"/>`,
    `<text x="${(WIDTH + FRAME.left) / 2}" y="${HEIGHT - 8}" text-anchor="middle">step</text>`,
    line(points, COLOURS.loss, 1),
    line(smooth, COLOURS.smooth, 1.8),
    line(validations, COLOURS.validation, 1.8),
    ...validations.map(
      ({ step, loss }) =>
        `<circle cx="${fixed(x(step))}" cy="${fixed(y(loss))}" r="2.5" fill="${COLOURS.validation}"/>`,
    ),
    `<text x="${FRAME.left}" y="20" fill="${COLOURS.smooth}">training loss</text>`,
    ...(validations.length > 0
      ? [`<text x="${FRAME.left + 90}" y="20" fill="${COLOURS.validation}">validation loss</text>`]
      : []),
    '</svg>',
  ]
    .filter((part) => part !== '')
    .join('\n')
    .concat('\n')
}

/** Exponential moving average, corrected for its start. */
function smoothed(steps: readonly Point[]): Point[] {
  const kept = steps.length < 30 ? 0.5 : SMOOTHING
  let average = 0
  let share = 1
  return steps.map(({ step, loss }) => {
    average = kept * average + (1 - kept) * loss
    share *= kept
    return { step, loss: average / (1 - share) }
  })
}

/** Averages neighbours until few enough points remain. */
function thin(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / MOST_POINTS)
  const groups: Point[] = []
  for (let start = 0; start < points.length; start += size) {
    const group = points.slice(start, start + size)
    groups.push({
      step: group.at(-1)?.step ?? 0,
      loss: group.reduce((sum, { loss }) => sum + loss, 0) / group.length,
    })
  }
  return groups
}

/** A range around the values that starts and ends at multiples of 1, 2 or 5 times a power of ten, and that step. */
function niceRange(values: readonly number[]): readonly [low: number, high: number, tick: number] {
  const least = Math.min(...values, 0)
  const most = Math.max(...values, least + 1e-3)
  const rough = (most - least) / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const tick = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power
  return [Math.floor(least / tick) * tick, Math.ceil(most / tick) * tick, tick]
}

function fixed(value: number): string {
  return value.toFixed(1)
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(6)))
}
