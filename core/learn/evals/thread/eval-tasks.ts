import { compareRows, type CompareOptions, type Comparison } from '../compare/compare.ts'
import { compareCounts, type CountedRow, type CountsComparison } from '../compare/compare-counts.ts'
import { pairRows, type ComparedRow, type RowPair } from '../compare/pair-rows.ts'
import { prepareTask, type PrepareOptions, type SplitRows } from '../prompts/prepare-task.ts'
import type { PackedRow } from '../prompts/packed-row.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { LogBounds, LogPart, PackedLog } from '../logs/read/imported.ts'
import { openFilters } from '../scoring/filters.ts'
import { createScorer } from '../scoring/score-row.ts'
import type { BenchInput } from '../bench/runs/bench-input.ts'
import type { RowMarks } from '../bench/runs/marks.ts'
import type { GivenPack, ReadPack } from '../bench/packs/read-pack.ts'
import type { EvalSummary } from '../scoring/summarize.ts'
import type { PackedResults } from '../../../compile/artifacts/diagnosis/packed-results.ts'
import type { PackedOutcomes, StoredOutcome } from '../scoring/packed-outcome.ts'
import { isMetricOf, metricsOf } from '../scoring/task-metrics.ts'
import type { RowAnswer } from '../targets/eval-target.ts'
import { hashJson } from '../../../kernel/json/json.ts'
import { storableJson } from '../../../kernel/json/storable.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { readTasks, type TaskFiles, type TaskSet } from '../task/read-tasks.ts'

/** Texts of tasks with their rows. */
export interface PrepareInput {
  readonly files: TaskFiles
  readonly splits: SplitRows
  readonly options: PrepareOptions
}

/** Tasks with their prompts. */
export interface PreparedSet {
  readonly set: TaskSet
  readonly rows: readonly PreparedRow[]
}

/** Tasks with their packed rows. */
export interface PackedSet {
  readonly set: TaskSet
  readonly rows: readonly PackedRow[]
  /** Characters of all prompts. */
  readonly promptChars: number
}

/** Rows of two evaluations. */
export interface CompareInput {
  readonly first: readonly ComparedRow[]
  readonly second: readonly ComparedRow[]
  /** Rows with what they count, and the tasks of their metrics; absent where no metric is of a corpus. */
  readonly counted?: {
    readonly set: TaskSet
    readonly first: readonly CountedRow[]
    readonly second: readonly CountedRow[]
  }
  readonly options: CompareOptions
}

/** Two evaluations, compared. */
export interface Compared {
  readonly pairs: readonly RowPair[]
  /** Empty where no row is in both. */
  readonly comparisons: readonly Comparison[]
  /** Of metrics of a corpus. */
  readonly metrics: readonly CountsComparison[]
}

/** A row that is not scored yet, as it was packed. */
export interface WaitingRow {
  readonly place: number
  readonly sample: string
}

/** A row with what the target answered. */
export interface AnsweredRow {
  readonly place: number
  readonly row: PreparedRow
  readonly answer: RowAnswer
  readonly marks?: RowMarks | undefined
}

/** The evaluation whose figures are computed. */
export interface SummaryInput {
  readonly set: TaskSet
  readonly namespace: string
  /** True to return the results of rows for the diagnosis of an artifact. */
  readonly hasResults: boolean
}

/** The files of a log of another tool. */
export interface GivenLog {
  readonly files: readonly LogPart[]
  readonly bounds: LogBounds
}

/** The tasks of the thread. */
export interface EvalTasks {
  readonly prepare: { readonly input: PrepareInput; readonly output: PackedSet }
  readonly readPack: { readonly input: GivenPack; readonly output: ReadPack }
  readonly readLog: { readonly input: GivenLog; readonly output: PackedLog }
  readonly prepareBench: { readonly input: BenchInput; readonly output: PackedSet }
  readonly compare: { readonly input: CompareInput; readonly output: Compared }
  /** Scores rows of the task set that `openScorers` was given. */
  readonly openScorers: { readonly input: TaskSet; readonly output: null }
  /** Opens the archive of the evaluation's artifact; one that needs a base runs beside this thread. */
  readonly openArchive: { readonly input: Uint8Array; readonly output: null }
  /** Runs the artifact on rows, given as their JSON, and scores its answers. */
  readonly run: { readonly input: readonly WaitingRow[]; readonly output: PackedOutcomes }
  /** Runs the artifact on a row. */
  readonly answer: { readonly input: PreparedRow; readonly output: RowAnswer }
  readonly score: { readonly input: readonly AnsweredRow[]; readonly output: PackedOutcomes }
  readonly openSummary: { readonly input: SummaryInput; readonly output: null }
  /** Adds scored rows to the summary that was opened; returns the results of rows for a diagnosis where they are wanted. */
  readonly addRows: { readonly input: readonly StoredOutcome[]; readonly output: PackedResults | null }
  /** Computes the figures of the rows that were added. */
  readonly summarize: { readonly input: null; readonly output: EvalSummary }
}

/** Reads tasks and makes their prompts. Throws as `readTasks` and `prepareTask`. */
export function prepareSet({ files, splits, options }: PrepareInput): PreparedSet {
  const set = readTasks(files)
  for (const task of set.tasks) {
    for (const { name } of metricsOf(task)) {
      if (isMetricOf(name, task.output_type)) continue
      throw LEARN_ERRORS.invalid_eval_task(
        `${task.task}: metric_list: ${name} is no metric of ${task.output_type} tasks`,
      )
    }
    requirePatterns(task, 'filter_list', () => openFilters(task))
    requirePatterns(task, 'metric_list: regexes_to_ignore', () => createScorer(task))
  }
  return { set, rows: set.tasks.flatMap((task) => prepareTask(task, splits, options)) }
}

/** Packs tasks with their prompts for the way into the database. */
export function packSet({ set, rows }: PreparedSet): PackedSet {
  let promptChars = 0
  for (const { requests } of rows) {
    for (const request of requests) {
      promptChars += request.type === 'loglikelihood_rolling' ? request.text.length : request.context.length
    }
  }
  const packed = rows.map((row) => ({
    task: row.task,
    hash: Uint8Array.from(Buffer.from(hashJson(row.doc).slice('sha256:'.length), 'hex')),
    sample: storableJson(row),
  }))
  return { set, rows: packed, promptChars }
}

function requirePatterns({ task }: TaskConfig, field: string, open: () => unknown): void {
  try {
    open()
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'is not valid'
    throw LEARN_ERRORS.invalid_eval_task(`${task}: ${field}: ${problem}`, { cause })
  }
}

/** Pairs the rows of two evaluations and compares them. */
export function compareEvaluations({ first, second, counted, options }: CompareInput): Compared {
  const pairs = pairRows(first, second)
  return {
    pairs,
    comparisons: pairs.length === 0 ? [] : compareRows(pairs, options),
    metrics: counted === undefined ? [] : compareCounts(counted.set, pairRows(counted.first, counted.second), options),
  }
}
