import type { Example } from './example.ts'

/** Changes of a dataset. */
export interface ExampleChanges {
  /** Examples whose id was given: each takes the place of the example with its id, or is added. */
  readonly named: readonly Example[]
  /** Examples to add, under new ids. */
  readonly added: readonly Example[]
  /** Ids of examples to leave out. */
  readonly removed: readonly string[]
}

/** Ids of added examples: `added_1`, `added_2`, … */
const ADDED = /^added_(\d{1,9})$/

/** Returns the id of an example. */
export function idOfExample(example: Example): string {
  if (example.kind === 'negative') return example.negative.id
  return example.kind === 'unlabelled' ? example.unlabelled.id : example.row.id
}

/**
 * Yields a dataset with changes, in its order; what is new comes last. `refuse` makes the error for ids to remove that
 * no example has, which is thrown at the end.
 */
export async function* mergeExamples(
  given: AsyncIterable<Example>,
  changes: ExampleChanges,
  refuse: (ids: readonly string[]) => Error,
): AsyncGenerator<Example> {
  const named = new Map(changes.named.map((example) => [idOfExample(example), example]))
  const removed = new Set(changes.removed)
  const missing = new Set(removed)
  let last = Math.max(0, ...[...named.keys()].map(addedNumber))
  for await (const example of given) {
    const id = idOfExample(example)
    last = Math.max(last, addedNumber(id))
    if (removed.has(id)) {
      missing.delete(id)
      continue
    }
    yield named.get(id) ?? example
    named.delete(id)
  }
  if (missing.size > 0) throw refuse([...missing])
  yield* named.values()
  for (const example of changes.added) yield withId(example, `added_${++last}`)
}

/** Returns the number in an id of an added example; 0 for every other id. */
function addedNumber(id: string): number {
  return Number(ADDED.exec(id)?.[1] ?? 0)
}

function withId(example: Example, id: string): Example {
  if (example.kind === 'negative') return { ...example, negative: { ...example.negative, id } }
  if (example.kind === 'unlabelled') return { ...example, unlabelled: { ...example.unlabelled, id } }
  return { ...example, row: { ...example.row, id } }
}
