import type { Json } from '../../../kernel/json/json.ts'

/** A shape is rare when fewer rows than one in so many have it. */
const RARE_SHAPE = 40

/** Units of a text that its shape is read from. */
const SHAPED_UNITS = 400

/** The shape of a value: letters, digits and marks by class, so that values of one format have one shape. */
export function shapeOf(value: Json): string {
  if (typeof value === 'string') {
    return value
      .slice(0, SHAPED_UNITS)
      .replace(/\p{Lu}+/gu, 'A')
      .replace(/\p{Ll}+/gu, 'a')
      .replace(/\p{N}+/gu, '9')
      .replace(/ +/g, ' ')
      .slice(0, 60)
  }
  if (typeof value === 'number') return value < 0 ? '-' : Number.isInteger(value) ? '0' : '.'
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${Math.min(value.length, 4)}${value.length > 0 ? shapeOf(value[0] ?? null) : ''}]`
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}:${shapeOf(member)}`)
    .join()}}`
}

/** Rows of different shapes first, commonest shapes first; then further rows in order. */
export function diverseRows(inputs: readonly Json[], outputs: readonly Json[], count: number): number[] {
  const byShape = new Map<string, number[]>()
  for (const [row, input] of inputs.entries()) {
    const key = `${shapeOf(input)}>${shapeOf(outputs[row] ?? null)}`
    const rows = byShape.get(key)
    if (rows === undefined) byShape.set(key, [row])
    else rows.push(row)
  }
  const sorted = [...byShape.values()].toSorted((a, b) => b.length - a.length)
  // A shape that hardly occurs is a mistake more often than not: it may come in later, as a row that failed.
  const common = sorted.filter((rows) => rows.length * RARE_SHAPE > inputs.length)
  const groups = common.length === 0 ? sorted : common
  const chosen: number[] = []
  for (let round = 0; chosen.length < Math.min(count, inputs.length); round++) {
    let isAdded = false
    for (const rows of groups) {
      const row = rows[round]
      if (row === undefined || chosen.length >= count) continue
      chosen.push(row)
      isAdded = true
    }
    if (!isAdded) break
  }
  return chosen
}
