/**
 * Draws the frozen cases of the calibration and writes `core/learn/evals/calibration/cases.json`: `node
 * bench/small-sets/calibration/draw-cases.ts`. The file is frozen: draw it again only for a new edition, with a new date.
 */
import { writeFile } from 'node:fs/promises'
import { drawRows, type DrawnTask } from '../drawn-task.ts'
import { CLASSIFICATION } from './classification.ts'
import { CODE } from './code.ts'
import { EXTRACTION } from './extraction.ts'
import { GENERATION } from './generation.ts'

const TRAIN_ROWS = 24
const TEST_ROWS = 60
const SEED = 20_261_128
const FROZEN_AT = '2026-11-28T00:00:00.000Z'

function caseOf(task: DrawnTask, place: number) {
  const rows = drawRows(task, TRAIN_ROWS + TEST_ROWS, SEED).map(({ input, output }) => ({ input, output }))
  return {
    id: `${task.subject}-${place + 1}`,
    class: task.subject,
    task: task.name,
    train: rows.slice(0, TRAIN_ROWS),
    test: rows.slice(TRAIN_ROWS),
  }
}

const cases = [CLASSIFICATION, EXTRACTION, GENERATION, CODE].flatMap((tasks) => tasks.map(caseOf))
const lines = cases.map((each) => JSON.stringify(each)).join(',\n')
const file = new URL('../../../core/learn/evals/calibration/cases.json', import.meta.url)
await writeFile(file, `{"spec":"svc-bench-v1","schema_version":1,"frozen_at":"${FROZEN_AT}","cases":[\n${lines}\n]}\n`)
