import { z } from 'zod'
import { canonicalJson } from '../../../kernel/json/json.ts'

/** Bounds of a model; the reader refuses one that exceeds them (docs/formats/tabular-format.md). */
export const MODEL_BOUNDS = {
  columns: 1000,
  features: 4096,
  labels: 1000,
  pathSteps: 32,
  values: 256,
  hashes: 1024,
  affixChars: 16,
  trees: 20_000,
  nodes: 262_144,
  depth: 64,
} as const

/** Steps from the input to a value: names of members and places in lists. */
const Path = z.array(z.union([z.string(), z.int().nonnegative()])).max(MODEL_BOUNDS.pathSteps)
export type Path = z.infer<typeof Path>

const parts = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.array(z.enum(names)).refine((list) => new Set(list).size === list.length, { error: 'a part stands twice' })

export const DATE_PARTS = ['year', 'month', 'weekday', 'day', 'minute', 'missing'] as const

/** A place of the input and the features that are read there; `parts` lists features in their order. */
const Column = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number'),
    path: Path,
    /** Form of texts such as `1.234,50 €`; absent: decimal numbers as JSON writes them. */
    form: z
      .strictObject({ decimal: z.enum(['.', ',']).nullable(), affix: z.string().max(MODEL_BOUNDS.affixChars) })
      .exactOptional(),
    parts: parts(['value', 'missing']).min(1),
  }),
  z.strictObject({ kind: z.literal('boolean'), path: Path, parts: parts(['value', 'missing']).min(1) }),
  z.strictObject({ kind: z.literal('length'), path: Path, parts: parts(['value', 'missing']).min(1) }),
  z.strictObject({
    kind: z.literal('date'),
    path: Path,
    /** Order of the parts of dates such as `31.12.24`; absent: ISO 8601. */
    order: z.enum(['dmy', 'mdy', 'ymd']).exactOptional(),
    parts: parts(DATE_PARTS).min(1),
  }),
  z.strictObject({
    kind: z.literal('category'),
    path: Path,
    /** Canonical JSON of each value with a feature of its own; these features come before those of `parts`. */
    values: z.array(z.string()).min(1).max(MODEL_BOUNDS.values),
    parts: parts(['unseen', 'missing']),
  }),
  z.strictObject({
    kind: z.literal('text'),
    path: Path,
    /** Hashes of words and pairs of words, ascending; these features come before those of `parts`. */
    hashes: z.array(z.int().min(0).max(0xffffffff)).max(MODEL_BOUNDS.hashes),
    /** Shortest and longest run of characters whose hashes are read as well; absent: none. */
    charGrams: z.tuple([z.int().min(1).max(8), z.int().min(1).max(8)]).exactOptional(),
    parts: parts(['characters', 'missing']).min(1),
  }),
])
export type Column = z.infer<typeof Column>

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Share = z.number().min(0).max(1)

const Target = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('label'),
    labels: z.array(Scalar).min(2).max(MODEL_BOUNDS.labels),
    /** Below this confidence the recipe abstains. */
    threshold: Share,
  }),
  z.strictObject({
    kind: z.literal('number'),
    /** Answers are rounded to this many decimals. */
    decimals: z.int().min(0).max(15).nullable(),
    /** The share of answers that lie within `half_width` of the right number. */
    interval: z.strictObject({ coverage: Share, half_width: z.number().nonnegative() }).nullable(),
  }),
  z.strictObject({
    kind: z.literal('labels'),
    /** In the order in which an answer lists them. */
    labels: z.array(Scalar).min(1).max(MODEL_BOUNDS.labels),
    /** A label is in the answer when its probability reaches its threshold. */
    thresholds: z.array(Share),
    threshold: Share,
  }),
])
export type Target = z.infer<typeof Target>

/** A tabular model without its numbers, as stored in `recipes.json`. */
export const TabularRecipe = z
  .strictObject({
    format: z.enum(['svc-tabular-1', 'svc-tabular-2']),
    columns: z.array(Column).min(1).max(MODEL_BOUNDS.columns),
    target: Target,
  })
  .check(({ value, issues }) => {
    const fault = recipeFault(value)
    if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: value })
  })
export type TabularRecipe = z.infer<typeof TabularRecipe>

type TabularFormat = 'svc-tabular-1' | 'svc-tabular-2'

/** Format of a recipe with these columns: readers of `svc-tabular-1` know no forms of numbers and orders of dates. */
export function formatOf(columns: readonly Column[]): TabularFormat {
  const isLocal = columns.some(
    (column) =>
      (column.kind === 'number' && column.form !== undefined) || (column.kind === 'date' && column.order !== undefined),
  )
  return isLocal ? 'svc-tabular-2' : 'svc-tabular-1'
}

/** Returns what the schema of the single fields cannot see: entries that stand twice or out of order. */
function recipeFault({
  format,
  columns,
  target,
}: {
  format: TabularFormat
  columns: readonly Column[]
  target: Target
}): string | undefined {
  if (format !== formatOf(columns)) return 'a recipe with a form or an order, and no other, is svc-tabular-2'
  if (!isDistinct(columns.map(({ kind, path }) => canonicalJson([kind, path])))) return 'a column stands twice'
  for (const column of columns) {
    if (column.kind === 'category' && !isDistinct(column.values)) return 'a value of a category stands twice'
    if (column.kind === 'text' && column.hashes.some((hash, i) => i > 0 && hash <= (column.hashes[i - 1] ?? 0)))
      return 'hashes are not ascending'
    if (column.kind === 'text' && column.charGrams !== undefined && column.charGrams[0] > column.charGrams[1])
      return 'the shortest run of characters is longer than the longest'
  }
  if (target.kind === 'number') return undefined
  if (!isDistinct(target.labels.map((label) => canonicalJson(label)))) return 'a label stands twice'
  if (target.kind === 'labels' && target.thresholds.length !== target.labels.length)
    return 'labels and thresholds differ in number'
  return undefined
}

function isDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** Number of features that a column gives. */
export function countFeatures(column: Column): number {
  const own = column.kind === 'category' ? column.values.length : column.kind === 'text' ? column.hashes.length : 0
  return own + column.parts.length
}

/** Number of scores that a model computes for a target: two labels need only one. */
export function countScores(target: Target): number {
  if (target.kind === 'number') return 1
  return target.kind === 'label' && target.labels.length === 2 ? 1 : target.labels.length
}
