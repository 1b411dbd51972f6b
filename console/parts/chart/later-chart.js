import { later } from '../read/later.js'

/** A chart of a page that often has none to show. */
export const LaterChart = later(async () => (await import('./chart.js')).Chart)
