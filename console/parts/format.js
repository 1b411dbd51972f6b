/** @typedef {{ locale?: string | undefined, timeZone?: string | undefined }} Choice */

/** @param {Choice} choice */
function make({ locale, timeZone }) {
  const zone = timeZone === undefined ? {} : { timeZone }
  return {
    number: new Intl.NumberFormat(locale),
    size: new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 }),
    score: new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 }),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
    wholePercent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }),
    short: new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 }),
    day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone }),
    instant: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...zone }),
    time: new Intl.DateTimeFormat(locale, { timeStyle: 'medium', ...zone }),
    month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    /** @param {string} unit */
    duration: (unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
    /** @param {string} currency */
    money: (currency) => new Intl.NumberFormat(locale, { style: 'currency', currency }),
    usd: new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 }),
    parts: new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
      ...zone,
    }),
  }
}

/** The browser's language and zone, until the tenant's settings replace them. */
let formats = make({})

/**
 * Sets the language and zone of numbers and times; the browser's own where none is chosen.
 *
 * @param {Choice} choice
 */
export function chooseFormats(choice) {
  try {
    formats = make(choice)
  } catch {
    // A zone that the service knows may be news to an older browser; its own is better than none.
    formats = make({})
  }
}

/** The name of the zone that times are shown in. */
export function shownZone() {
  return formats.instant.resolvedOptions().timeZone
}

/** @param {number} value */
export function formatNumber(value) {
  return formats.number.format(value)
}

/**
 * With few letters, for the axis of a chart.
 *
 * @param {number} value
 */
export function formatShortly(value) {
  return formats.short.format(value)
}

/** @param {number} share of one */
export function formatPercent(share) {
  if (share > 0 && share < 0.001) return `less than ${formats.percent.format(0.001)}`
  return (share < 0.1 ? formats.percent : formats.wholePercent).format(share)
}

/** @param {string | null | undefined} iso */
export function formatInstant(iso) {
  return iso === null || iso === undefined ? '–' : formats.instant.format(new Date(iso))
}

/** @param {string} iso */
export function formatDay(iso) {
  return formats.day.format(new Date(iso))
}

/** @param {string} iso */
export function formatTime(iso) {
  return formats.time.format(new Date(iso))
}

/** @param {string} month `YYYY-MM`, of the calendar that usage is counted by (UTC) */
export function formatMonth(month) {
  return formats.month.format(new Date(`${month}-01T00:00:00Z`))
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  for (const [unit, size] of /** @type {const} */ ([
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ])) {
    // From 999.5 on three digits would round up to 1,000 of the smaller unit.
    if (bytes >= size * 0.9995) return `${formats.size.format(bytes / size)} ${unit}`
  }
  return `${formatNumber(bytes)} B`
}

/**
 * A length of time in its largest unit: seconds, minutes or hours.
 *
 * @param {number} seconds
 */
export function formatDuration(seconds) {
  const [unit, size] = seconds < 90 ? ['second', 1] : seconds < 5400 ? ['minute', 60] : ['hour', 3600]
  return formats.duration(String(unit)).format(Math.round(seconds / Number(size)))
}

/** @param {number | undefined} score */
export function formatScore(score) {
  return score === undefined ? '–' : formats.score.format(score)
}

/**
 * @param {number} cents
 * @param {string} currency
 */
export function formatMoney(cents, currency) {
  return formats.money(currency.toUpperCase()).format(cents / 100)
}

/**
 * US dollars, down to millionths: a call of a model costs less than a cent.
 *
 * @param {number} dollars
 */
export function formatUsd(dollars) {
  return formats.usd.format(dollars)
}

/**
 * A machine's word for people: `step.end` and `past_due` become words with spaces.
 *
 * @param {string} word
 */
export function formatWord(word) {
  return word.replaceAll(/[._-]/g, ' ')
}

/**
 * Returns the start of a day in the zone in which times are shown.
 *
 * @param {string} day `YYYY-MM-DD`
 */
export function startOfDay(day) {
  const wall = Date.parse(`${day}T00:00:00Z`)
  // Once with the offset of about that time, and once with that of the time so found: they differ around a change of clocks.
  const near = wall - offsetAt(wall)
  return new Date(wall - offsetAt(near)).toISOString()
}

/**
 * Returns the offset of the shown zone from UTC, milliseconds.
 *
 * @param {number} at
 */
function offsetAt(at) {
  const shown = Object.fromEntries(formats.parts.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/**
 * The console's word for states that the service names in several ways: what ended well is ready, be it a compile, an
 * evaluation or a run.
 *
 * @type {Readonly<Record<string, string>>}
 */
const STATES = { completed: 'ready', succeeded: 'ready' }

/**
 * Returns the word for a state of a job, run, version or evaluation, with the error where it has one.
 *
 * @param {string} state as the service names it
 * @param {string | null} [error] why it failed
 */
export function formatState(state, error = null) {
  const word = STATES[state] ?? state
  return error === null ? word : `${word}: ${error}`
}
