import { createHash } from 'node:crypto'
import { z } from 'zod'
import { DomainError } from '../../../../kernel/errors.ts'
import { parseForeignJson } from '../../../../kernel/json/json-text.ts'
import { hashJson, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { storableJson } from '../../../../kernel/json/storable.ts'
import { LEARN_ERRORS } from '../../../errors.ts'
import type { RowOutcome } from '../../evaluation.ts'
import type { PackedRow } from '../../prompts/packed-row.ts'
import type { PreparedRow } from '../../prompts/prepared.ts'
import type { EvalFigure } from '../../scoring/summarize.ts'
import type { RowResponses } from '../../scoring/responses.ts'
import type { MetricValue, RowScore } from '../../scoring/score-row.ts'
import { isCorpusMetric } from '../../scoring/corpus/corpus-metrics.ts'
import { isHigherBetterOf } from '../../scoring/task-metrics.ts'

/** A row as a log tells it. */
export interface ImportedRow {
  readonly sample: PreparedRow
  readonly outcome: RowOutcome
  readonly isRight: boolean | null
  /** SHA-256 of its columns, by which rows of two evaluations are paired. */
  readonly hash: Uint8Array
}

/** An evaluation as a log of another tool states it. */
export interface ImportedLog {
  readonly name: string
  /** The model that it names. */
  readonly model: string
  readonly tasks: readonly string[]
  readonly figures: readonly EvalFigure[]
  readonly rows: readonly ImportedRow[]
}

/** A file of a log, or a member of one that is a zip. */
export interface LogPart {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Bounds of a log. */
export interface LogBounds extends JsonBounds {
  readonly rows: number
  /** Of all its parts, inflated. */
  readonly sizeBytes: number
}

/** Bounds of each piece of JSON in a log. */
export interface JsonBounds {
  readonly depth: number
  /** Members, entries and containers. */
  readonly parts: number
}

/** Returns the error of a log that cannot be read: it names the part, and the line of one with lines. */
export function faultyLog(part: string, problem: string, line?: number) {
  const where = line === undefined ? part : `${part}, line ${line}`
  return LEARN_ERRORS.invalid_eval_log(`${where}: ${problem}`, {
    details: { file: part, ...(line !== undefined && { line }) },
  })
}

/** Reads JSON of a part by a schema. Throws `invalid_eval_log`. */
export function parsePart<T extends z.ZodType>(schema: T, part: PartText, bounds: JsonBounds): z.output<T> {
  const { name, line } = part
  const read = schema.safeParse(jsonOf(part, bounds))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw faultyLog(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`.replace(/^: /, ''), line)
}

function jsonOf({ name, text, line }: PartText, { depth, parts }: JsonBounds): Json {
  try {
    return parseForeignJson(text, depth, 'value', parts)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw faultyLog(name, error.message.replace(/^value(?:: )?/, ''), line)
  }
}

/** A piece of JSON in a part. */
export interface PartText {
  readonly name: string
  readonly text: string
  readonly line?: number
}

/** The number of a row in its task, from 0. */
export const DocId = z.int().min(0).max(2_147_483_647)

/** A JSON object with any members. */
export const Doc: z.ZodType<JsonObject> = z.record(z.string(), z.json())

/** A row as its reader found it. */
export interface FoundRow {
  readonly task: string
  readonly docId: number
  readonly doc: JsonObject
  readonly context: string
  readonly target: Json
  readonly choices: readonly string[] | null
  readonly responses: RowResponses
  readonly scores: readonly RowScore[]
}

/** A row whose verdict waits for the other rows of its task, see `decideRows`. */
export type UndecidedRow = Omit<ImportedRow, 'isRight'>

/**
 * Makes rows right or wrong by one metric for each task: the first that is 0 or 1 in all rows that have it, and is no metric of a
 * corpus: a perfect `ter` is 0. A row without it is neither.
 */
export function decideRows(rows: readonly UndecidedRow[]): readonly ImportedRow[] {
  const isDecisive = new Map<string, boolean>()
  const decisive = new Map<string, string>()
  for (const { sample, outcome } of rows) {
    for (const [name, value] of metricsOfRow(sample.task, outcome)) {
      isDecisive.set(name, (isDecisive.get(name) ?? true) && (value === 0 || value === 1))
    }
  }
  for (const { sample, outcome } of rows) {
    if (decisive.has(sample.task)) continue
    const first = metricsOfRow(sample.task, outcome).find(([name]) => isDecisive.get(name) === true)
    if (first !== undefined) decisive.set(sample.task, first[0])
  }
  return rows.map((row) => {
    const { sample, outcome } = row
    const decided = metricsOfRow(sample.task, outcome).find(([name]) => name === decisive.get(sample.task))
    return { ...row, isRight: decided === undefined ? null : decided[1] === 1 }
  })
}

/** The metrics of a row that may make it right or wrong, by names that tell task and filter, in their order. */
function metricsOfRow(task: string, { scores }: RowOutcome): readonly (readonly [string, MetricValue | undefined])[] {
  return scores.flatMap(({ filter, metrics }) =>
    Object.entries(metrics).flatMap(([metric, value]) =>
      isCorpusMetric(metric) ? [] : [[JSON.stringify([task, filter, metric]), value] as const],
    ),
  )
}

/** Makes a row of what a log tells. */
export function importedRow({ task, docId, doc, context, target, choices, responses, scores }: FoundRow): UndecidedRow {
  const isText = responses.type === 'texts'
  return {
    sample: {
      task,
      docId,
      doc,
      requests: [
        isText
          ? { type: 'generate_until', context, input: context }
          : { type: 'loglikelihood', context, continuation: '' },
      ],
      target,
      choices,
      slice: null,
      cluster: null,
    },
    outcome: { responses, scores, rightRepeats: null, cutTokens: 0, silence: null, confidence: null },
    hash: Uint8Array.from(Buffer.from(hashJson(doc).slice('sha256:'.length), 'hex')),
  }
}

/**
 * A figure as a log tells it: no interval is computed for what was not measured here. Its direction is that of the metric of this name
 * where the log tells none; more is better of a name that is no metric here.
 */
export function importedFigure(
  told: Pick<EvalFigure, 'task' | 'filter' | 'metric' | 'value' | 'stderr' | 'n'>,
  isHigherBetter = isHigherBetterOf(told.metric) ?? true,
): EvalFigure {
  return { ...told, slice: null, isHigherBetter, interval: null, smallestEffect: null }
}

/** A log whose rows are packed for the database: in the thread that reads it, so that its caller neither hashes nor writes them. */
export interface PackedLog extends Omit<ImportedLog, 'rows'> {
  readonly rows: readonly (PackedRow & Pick<ImportedRow, 'isRight'> & { readonly outcome: string })[]
  /** Digest of the rows in their order. */
  readonly dataHash: Uint8Array
}

/** Packs the rows of a log. */
export function packLog({ rows, ...log }: ImportedLog): PackedLog {
  const packed = rows.map(({ sample, outcome, isRight, hash }) => ({
    task: sample.task,
    hash,
    sample: storableJson(sample),
    outcome: storableJson(outcome),
    isRight,
  }))
  return { ...log, rows: packed, dataHash: Uint8Array.from(hashOfRows(rows)) }
}

/** Returns the digest of the rows of a log in their order. */
function hashOfRows(rows: readonly ImportedRow[]): Buffer {
  return createHash('sha256')
    .update(Buffer.concat(rows.map(({ hash }) => hash)))
    .digest()
}
