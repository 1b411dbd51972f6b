import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { leafInput } from '../../../runtime/composite/composite-runner.ts'
import type { CompositeNode } from '../../../runtime/composite/composite-recipe.ts'
import { describePlace, pointerOf } from '../../../runtime/composite/places.ts'
import { leavesOf, readLeaves, type Shape, type ShapeLeaf } from '../../../runtime/composite/shape.ts'
import { EXACT, type Equality } from '../../../rows/equality/equality.ts'
import type { Row } from '../../../rows/task.ts'
import { fitLeaf, fitProgram, type LeafBounds } from './fit-leaf.ts'
import { rulesAt, shareOf, type LeafFit, type LeafTask } from './leaf-fit.ts'

/** The most leaves that a compile fits: each has its own searches and trainings. */
export const MAX_FITTED = 32
/** Part of all search steps that one leaf may take at least, whatever the number of leaves. */
const LEAST_SHARE = 0.25
/** Leaves that one leaf may read: more make the search too wide. */
const MAX_READ = 8
/** Share of right answers that a program reading other leaves may lack against what is learned: it is cheaper. */
const CHEAPER = 0.01

/** A fitted leaf and its place. */
export interface FittedLeaf extends LeafFit {
  readonly place: ShapeLeaf
}

/** A composite that was fitted. */
export interface FittedComposite {
  readonly recipe: JsonObject
  readonly weights: ReadonlyMap<string, Uint8Array>
  readonly leaves: readonly FittedLeaf[]
}

/** Result of fitting a composite; `fitted` is null when a leaf has no recipe, for the reason in words. */
export interface CompositeOutcome {
  readonly fitted: FittedComposite | null
  readonly reason: string
  readonly isCutShort: boolean
  readonly searchSteps: number
  readonly trainingSteps: number
}

/** Bounds of fitting a composite. */
export interface CompositeBounds extends LeafBounds {
  /** Search steps of all leaves together. */
  readonly workBudget: number
}

/**
 * Fits outputs of a form leaf by leaf, each with the cheapest kind that proves itself. Leaves that no program answers from
 * the input alone are then searched beside the values of others: a program that reads them counts as right as often as
 * what it reads. Deterministic for the same rows. Throws what the checkpoint throws.
 */
export function fitComposite(
  rows: readonly Row[],
  shape: Shape,
  equality: Equality,
  bounds: CompositeBounds,
): CompositeOutcome {
  const places = leavesOf(shape)
  const none = { fitted: null, isCutShort: false, searchSteps: 0, trainingSteps: 0 }
  if (places.length > MAX_FITTED)
    return { ...none, reason: `outputs have ${places.length} parts, more than ${MAX_FITTED}` }
  const tasks = leafTasks(rows, shape, places, equality)
  const share = Math.max(1 / places.length, LEAST_SHARE)
  let left = bounds.workBudget
  let trainingSteps = 0
  const takeSteps = (used: number): void => {
    left = Math.max(0, left - used)
  }
  const stepsOfOne = (): number => Math.max(1, Math.min(left, Math.floor(bounds.workBudget * share)))
  const outcomes = tasks.map((task) => {
    bounds.checkpoint()
    const outcome = fitLeaf(task, bounds, stepsOfOne())
    takeSteps(outcome.searchSteps)
    trainingSteps += outcome.trainingSteps
    return outcome
  })
  const fits = outcomes.map(({ fit }) => fit)
  // The last search of a leaf may begin with few steps left; it is not worth its start.
  for (const number of tasks.keys()) {
    if (left <= 1) break
    bounds.checkpoint()
    const reading = fitReading(tasks, fits, rows, shape, number, bounds, stepsOfOne())
    if (reading === null) continue
    takeSteps(reading.searchSteps)
    fits[number] = reading.fit ?? fits[number] ?? null
  }
  const cost = { searchSteps: bounds.workBudget - left, trainingSteps }
  const open = fits.indexOf(null)
  const place = places[open]
  if (place !== undefined) {
    const isCutShort = outcomes[open]?.isCutShort === true
    return { ...cost, fitted: null, isCutShort, reason: `${describePlace(place)}: ${outcomes[open]?.reason}` }
  }
  const fitted = assembleRecipe(
    shape,
    places.flatMap((one, number) => {
      const fit = fits[number]
      return fit === undefined || fit === null ? [] : [{ ...fit, place: one }]
    }),
  )
  return { ...cost, fitted, reason: '', isCutShort: outcomes.some(({ isCutShort }) => isCutShort) }
}

function leafTasks(
  rows: readonly Row[],
  shape: Shape,
  places: readonly ShapeLeaf[],
  equality: Equality,
): readonly LeafTask[] {
  const values = rows.map(({ output }) => readLeaves(shape, output))
  return places.map((place, number) => ({
    place,
    rows: rows.flatMap(({ id, input }, row): Row[] => {
      const output = values[row]?.[number]
      return output === undefined ? [] : [{ id, input, output }]
    }),
    equality: place.part === 'present' ? EXACT : rulesAt(equality, place.path),
  }))
}

type Fits = readonly (LeafFit | null)[]

/**
 * Searches a program that answers a leaf from the input and other leaves; null when there is nothing to gain. A leaf that
 * reads others is not read, and one that is read reads none: no circle can form.
 */
function fitReading(
  tasks: readonly LeafTask[],
  fits: Fits,
  rows: readonly Row[],
  shape: Shape,
  number: number,
  bounds: LeafBounds,
  workBudget: number,
): { readonly fit: LeafFit | null; readonly searchSteps: number } | null {
  const task = tasks[number]
  const own = fits[number] ?? null
  if (task === undefined || own?.isProven === true || task.rows.length === 0) return null
  const isRead = fits.some((fit) => fit?.leaf.reads.includes(pointerOf(task.place.path)))
  if (isRead && task.place.part === 'value') return null
  const readable = tasks.flatMap(({ place, rows: given }, other) => {
    const fit = fits[other]
    const isFree = other !== number && place.part === 'value' && !place.isOptional
    if (!isFree || fit === null || fit === undefined || fit.leaf.reads.length > 0) return []
    return given.every(({ output }) => isShort(output)) ? [{ other, pointer: pointerOf(place.path), fit }] : []
  })
  const offered = readable.slice(0, MAX_READ)
  if (offered.length === 0) return null
  const valuesOf = new Map(rows.map(({ id, output }) => [id, readLeaves(shape, output)]))
  const readingRows = (pointers: readonly { readonly other: number; readonly pointer: string }[]): readonly Row[] =>
    task.rows.map((row) => {
      const read = pointers.map(({ other, pointer }): [string, Json] => [
        pointer,
        valuesOf.get(row.id)?.[other] ?? null,
      ])
      return { ...row, input: leafInput(row.input, Object.fromEntries(read)) }
    })
  const pointers = offered.map(({ pointer }) => pointer)
  // An unlabelled input has no values to read.
  const search = { ...bounds.search, unlabelled: [] }
  const found = fitProgram({ ...task, rows: readingRows(offered) }, { ...bounds, search }, workBudget, pointers)
  const { fit, searchSteps } = found
  if (fit === null || fit.leaf.by !== 'program') return { fit: null, searchSteps }
  const texts = textsIn(fit.leaf.program)
  const used = offered.filter(({ pointer }) => texts.has(pointer))
  if (used.length === 0) return { fit: null, searchSteps }
  const share = used.reduce((product, one) => product * shareOf(one.fit), shareOf(fit))
  if (own !== null && !isBetter(fit, share, own)) return { fit: null, searchSteps }
  const right = Math.round(share * fit.evidence.rows)
  const leaf = { ...fit.leaf, reads: used.map(({ pointer }) => pointer) }
  return { fit: { ...fit, leaf, evidence: { ...fit.evidence, right }, isProven: false }, searchSteps }
}

/**
 * A program must be right more often than another one. What is learned gives way only to a program that is right on every
 * row, given right answers of the leaves that it reads.
 */
function isBetter(fit: LeafFit, share: number, own: LeafFit): boolean {
  if (own.leaf.kind === 'program') return share > shareOf(own)
  return fit.isProven && share >= shareOf(own) - CHEAPER
}

const MAX_READ_TEXT = 200

function isShort(value: Json): boolean {
  return typeof value === 'string' ? value.length <= MAX_READ_TEXT : typeof value !== 'object'
}

/** Every text in a program. */
function textsIn(value: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') found.add(value)
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values<Json>(value)) textsIn(inner, found)
  }
  return found
}

function assembleRecipe(shape: Shape, leaves: readonly FittedLeaf[]): FittedComposite {
  let next = 0
  const take = () => {
    const fit = leaves[next++]
    if (fit === undefined) throw new TypeError('a form has more leaves than were fitted')
    return fit.leaf
  }
  const build = (node: Shape): CompositeNode => {
    switch (node.node) {
      case 'leaf':
        return take()
      case 'object':
        return { node: 'object', members: node.members.map(({ name, value }) => ({ name, value: build(value) })) }
      case 'list':
        return { node: 'list', items: node.items.map(build) }
      case 'optional':
        return { node: 'optional', absent: node.absent, present: take(), value: build(node.value) }
    }
  }
  const root: JsonObject = JSON.parse(JSON.stringify(build(shape)))
  const weights = leaves.flatMap(({ leaf, weights: bytes }): [string, Uint8Array][] =>
    'weights' in leaf && bytes !== null ? [[leaf.weights.member, bytes]] : [],
  )
  return { recipe: { format: 'svc-composite-1', root }, weights: new Map(weights), leaves }
}
