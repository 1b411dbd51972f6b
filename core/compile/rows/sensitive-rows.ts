import type { SensitiveClass } from '../../gateway/gate/privacy/classes.ts'
import { scanText } from '../../gateway/gate/privacy/scan/scan-text.ts'
import type { DomainError } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json/json.ts'
import { loopTurn } from '../../kernel/threads/fair/in-slices.ts'
import { valueText } from '../../model/training/prompt.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import type { BodyFields } from '../stages/rentals/body-fields.ts'
import type { TeacherRow } from '../stages/teacher/teacher-types.ts'
import { datasetChunks } from './dataset-chunks.ts'
import { readDataset } from './intake/dataset.ts'
import type { Example, NegativeExample } from './intake/example.ts'
import type { Row } from './task.ts'

/** Sensitive text in what a fit learns from. */
export interface SensitiveRows {
  /** Number of rows that hold some. */
  readonly rows: number
  /** True when the description of the task, which is part of the prompts, holds some. */
  readonly isInTask: boolean
  readonly classes: readonly SensitiveClass[]
}

/** Classes of sensitive text by what holds it. */
class Findings {
  readonly #classes = new Set<SensitiveClass>()
  #rows = 0
  #isInTask = false

  row(values: readonly Json[]): void {
    if (this.#holdSensitive(values)) this.#rows++
  }

  task(task: string): void {
    if (this.#holdSensitive([task])) this.#isInTask = true
  }

  result(): SensitiveRows {
    return { rows: this.#rows, isInTask: this.#isInTask, classes: [...this.#classes].toSorted() }
  }

  #holdSensitive(values: readonly Json[]): boolean {
    const finds = values.flatMap((value) => scanText(valueText(value)))
    for (const { kind } of finds) this.#classes.add(kind)
    return finds.length > 0
  }
}

/**
 * Finds which classes of sensitive text a stored dataset and its task hold, and in how many rows. Unlabelled inputs count: a
 * teacher's answers make rows of them.
 */
export async function findSensitiveRows(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  task: string,
): Promise<SensitiveRows> {
  const findings = new Findings()
  findings.task(task)
  for await (const example of readDataset(datasetChunks(bytes))) findings.row(valuesOf(example))
  return findings.result()
}

/** The texts that a fit was prepared from, a teacher's rows included. */
export interface PreparedRows {
  readonly task: string
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  readonly teacherRows: readonly TeacherRow[]
}

/** Rows that are scanned before other work gets its turn. */
const ROWS_A_TURN = 256

/** Finds the same in the rows that a fit was prepared from. */
export async function findSensitivePrepared({
  task,
  rows,
  negatives,
  teacherRows,
}: PreparedRows): Promise<SensitiveRows> {
  const findings = new Findings()
  findings.task(task)
  let count = 0
  const take = async (values: readonly Json[]): Promise<void> => {
    findings.row(values)
    if (++count % ROWS_A_TURN === 0) await loopTurn()
  }
  for (const { input, output } of rows) await take([input, output])
  for (const { input, output } of teacherRows) await take([input, output])
  for (const negative of negatives) await take(negativeValues(negative))
  return findings.result()
}

/**
 * Returns the error for sensitive text that may not leave for a rented machine. It names the fields by which the caller gave rows and
 * task, and `next` says what the caller can do.
 */
export function sensitiveRefused(
  { rows, isInTask, classes }: SensitiveRows,
  given: BodyFields,
  next: string,
): DomainError {
  const holders = [...(rows > 0 ? [rows === 1 ? '1 row' : `${rows} rows`] : []), ...(isInTask ? ['the task'] : [])]
  const verb = holders.length === 1 && rows <= 1 ? 'holds' : 'hold'
  const pronoun = verb === 'holds' ? 'does' : 'do'
  const problem = `${holders.join(' and ')} ${verb} sensitive text (${classes.join(', ')}) and ${pronoun} not leave for a rented machine; ${next}`
  const fields = [...(rows > 0 ? [given.rows] : []), ...(isInTask ? [given.task] : [])]
  return COMPILE_ERRORS.privacy_requires_byoc(problem, {
    details: {
      rows,
      classes: [...classes],
      fields: fields.map((field) => ({ field, message: 'holds sensitive text' })),
    },
  })
}

function valuesOf(example: Example): readonly Json[] {
  switch (example.kind) {
    case 'positive':
      return [example.row.input, example.row.output]
    case 'negative':
      return negativeValues(example.negative)
    case 'unlabelled':
      return [example.unlabelled.input]
  }
}

function negativeValues({ input, notOutput, chosen }: NegativeExample): readonly Json[] {
  return chosen === undefined ? [input, notOutput] : [input, notOutput, chosen]
}
