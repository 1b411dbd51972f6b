import type { Json } from '../../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../../model/classifier/label-task.ts'
import { inferShape, leavesOf, readLeaves } from '../../../runtime/composite/shape.ts'
import { COMPOSITE_ROWS } from './needs-composite.ts'
import { MAX_FITTED } from './fit-composite.ts'

/** The leaves that a composite of some rows has. */
export interface PlannedLeaves {
  readonly leaves: number
  /** Numbers of labels, one for each leaf that a classifier may answer. */
  readonly labels: readonly number[]
}

/** Returns the leaves of a composite that `rows` rows may get, as far as some of them tell; null where none is fitted. */
export function planLeaves(outputs: readonly Json[], rows: number): PlannedLeaves | null {
  const shape = inferShape(outputs)
  if (rows < COMPOSITE_ROWS || outputs.length === 0 || shape.node === 'leaf') return null
  const places = leavesOf(shape)
  if (places.length > MAX_FITTED) return null
  const values = outputs.map((output) => readLeaves(shape, output))
  const labels = places.flatMap((_, number) => {
    const task = detectLabelTask(values.flatMap((one) => one[number] ?? []))
    return task.applicable ? [task.labels.length] : []
  })
  return { leaves: places.length, labels }
}
