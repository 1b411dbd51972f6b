/** @typedef {import('uplot')} Plot */

const HEIGHT = 200
const MIN_WIDTH = 240
const MARK_RADIUS = 5

/**
 * Draws a chart into an element, as wide as that is, until the signal is aborted. The library is loaded with the first
 * chart.
 *
 * @param {HTMLElement} frame
 * @param {import('./chart.js').ChartProps} chart
 * @param {() => { x: number, y: number } | undefined} markOf
 * @param {AbortSignal} signal
 * @returns {Promise<Plot | undefined>} undefined when the signal was aborted before
 */
export async function plotOf(frame, { x, series, range, level, formatX, formatY }, markOf, signal) {
  const { default: UPlot } = await import('uplot')
  if (signal.aborted) return undefined
  const colours = coloursOf(frame, ['--quiet', '--line', '--accent', '--warn', ...series.map(({ colour }) => colour)])
  const colourOf = (/** @type {string} */ name) => colours.get(name) ?? 'gray'
  const font = `12px ${getComputedStyle(frame).fontFamily}`
  const axis = { stroke: colourOf('--quiet'), font, ticks: { show: false } }
  const plot = new UPlot(
    {
      width: widthOf(frame),
      height: HEIGHT,
      padding: [10, 22, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: false, range: [...range.x] }, y: { range: [...range.y] } },
      axes: [
        { ...axis, size: 28, grid: { show: false }, values: (_, splits) => splits.map((value) => formatX(value)) },
        {
          ...axis,
          size: 64,
          grid: { stroke: colourOf('--line'), width: 1 },
          values: (_, splits) => splits.map((value) => formatY(value)),
        },
      ],
      series: [{}, ...series.map((one) => seriesOf(UPlot, one, colourOf(one.colour)))],
      hooks: {
        draw: [
          (drawn) => drawLevel(drawn, level, colourOf('--warn')),
          (drawn) => drawMark(drawn, markOf(), colourOf('--accent')),
        ],
      },
    },
    [[...x], ...series.map(({ values }) => [...values])],
    frame,
  )
  const observer = new ResizeObserver(() => plot.setSize({ width: widthOf(frame), height: HEIGHT }))
  observer.observe(frame)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    plot.destroy()
  })
  return plot
}

/** @param {HTMLElement} frame */
function widthOf(frame) {
  return Math.max(MIN_WIDTH, frame.clientWidth)
}

/**
 * @param {typeof import('uplot')} UPlot
 * @param {import('./chart.js').Series} series
 * @param {string} colour
 * @returns {import('uplot').Series}
 */
function seriesOf(UPlot, { label, form }, colour) {
  const points = { show: false }
  if (form === 'dashes') return { label, stroke: colour, dash: [6, 5], width: 1.5, points }
  if (form === 'line') return { label, stroke: colour, width: 2, points, spanGaps: true }
  if (form === 'points') {
    return { label, stroke: colour, paths: () => null, points: { show: true, size: 9, fill: colour } }
  }
  const paths = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 })
  return { label, stroke: colour, fill: colour, width: 0, points, ...(paths && { paths }) }
}

/**
 * Returns the colours of custom properties as they are now, resolved for a canvas.
 *
 * @param {HTMLElement} frame
 * @param {readonly string[]} names
 */
function coloursOf(frame, names) {
  const probe = document.createElement('span')
  frame.append(probe)
  const colours = new Map(
    names.map((name) => {
      probe.style.color = `var(${name})`
      return [name, getComputedStyle(probe).color]
    }),
  )
  probe.remove()
  return colours
}

/**
 * @param {Plot} plot
 * @param {number | undefined} level
 * @param {string} colour
 */
function drawLevel(plot, level, colour) {
  if (level === undefined) return
  const { ctx, bbox } = plot
  const y = plot.valToPos(level, 'y', true)
  ctx.save()
  ctx.beginPath()
  ctx.setLineDash([6 * devicePixelRatio, 5 * devicePixelRatio])
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.strokeStyle = colour
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.restore()
}

/**
 * @param {Plot} plot
 * @param {{ x: number, y: number } | undefined} mark
 * @param {string} colour
 */
function drawMark(plot, mark, colour) {
  if (mark === undefined) return
  const { ctx } = plot
  ctx.beginPath()
  ctx.arc(plot.valToPos(mark.x, 'x', true), plot.valToPos(mark.y, 'y', true), MARK_RADIUS * devicePixelRatio, 0, 7)
  ctx.fillStyle = colour
  ctx.fill()
}
