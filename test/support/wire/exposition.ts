const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A page of metrics, read. */
export interface Exposition {
  /** Names of all labels in use. */
  readonly labels: readonly string[]
  /** The value of one series; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

/**
 * Reads Prometheus text (exposition format 0.0.4). Throws an `Error` for a line that is none, a series that is there
 * twice or without its TYPE, and a histogram whose buckets do not add up.
 */
export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const samples = new Map<string, Sample>()
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line)
    if (type?.[1] !== undefined && type[2] !== undefined) {
      if (types.has(type[1])) throw new Error(`${type[1]} has two types`)
      types.set(type[1], type[2])
      continue
    }
    const sample = parseSample(line)
    const key = keyOf(sample.name, sample.labels)
    if (samples.has(key)) throw new Error(`the series ${key} is there twice`)
    if (!types.has(sample.name) && types.get(familyOf(sample.name)) !== 'histogram') {
      throw new Error(`${sample.name} has no type`)
    }
    samples.set(key, sample)
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, [...samples.values()])
  return {
    labels: [...new Set([...samples.values()].flatMap((sample) => Object.keys(sample.labels)))],
    value: (name, labels = {}) => samples.get(keyOf(name, labels))?.value,
  }
}

function parseSample(line: string): Sample {
  const [, name, inside = '', number = ''] = SAMPLE.exec(line) ?? []
  const value = number === '+Inf' ? Infinity : Number(number)
  if (name === undefined || number === '' || Number.isNaN(value)) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  for (let at = 0; at < inside.length; at = LABEL.lastIndex) {
    const [, label, text] = LABEL.exec(inside) ?? []
    if (label === undefined || text === undefined) throw new Error(`not labels: ${line}`)
    labels[label] = text
  }
  return { name, labels, value }
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const last = new Map<string, number>()
  for (const { name: series, labels, value } of samples) {
    const { le, ...rest } = labels
    const key = keyOf(name, rest)
    if (series === `${name}_bucket`) {
      if (value < (last.get(key) ?? 0)) throw new Error(`${key} has a bucket ${le} below the one before it`)
      last.set(key, value)
    } else if (series === `${name}_count` && last.get(key) !== value) {
      throw new Error(`${key} counts ${value}, its buckets ${last.get(key)}`)
    }
  }
}

function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '')
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${name}{${sorted.map(([label, value]) => `${label}=${value}`).join(',')}}`
}
