import { createHash } from 'node:crypto'
import { z } from 'zod'
import { hashJson, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../errors.ts'
import type { RowOutcome } from '../../evaluation.ts'
import type { PreparedRow } from '../../prompts/prepared.ts'
import type { EvalFigure } from '../../scoring/summarize.ts'
import type { RowResponses } from '../../scoring/responses.ts'
import type { RowScore } from '../../scoring/score-row.ts'

/** A row as a log tells it. */
export interface ImportedRow {
  readonly sample: PreparedRow
  readonly outcome: RowOutcome
  readonly isRight: boolean | null
  /** SHA-256 of its columns, by which rows of two evaluations are paired. */
  readonly hash: Uint8Array
}

/** What a log of another tool says of one evaluation. */
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
export interface LogBounds {
  readonly rows: number
  /** Of all its parts, inflated. */
  readonly sizeBytes: number
}

/** Returns the error of a log that cannot be read: it names the part, and the line of one with lines. */
export function faultyLog(part: string, problem: string, line?: number) {
  const where = line === undefined ? part : `${part}, line ${line}`
  return LEARN_ERRORS.invalid_eval_log(`${where}: ${problem}`, {
    details: { file: part, ...(line !== undefined && { line }) },
  })
}

/** Reads JSON of a part by a schema. Throws `invalid_eval_log`. */
export function parsePart<T extends z.ZodType>(schema: T, { name, text, line }: PartText): z.output<T> {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    throw faultyLog(name, 'is no JSON', line)
  }
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw faultyLog(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`.replace(/^: /, ''), line)
}

/** A piece of JSON in a part. */
export interface PartText {
  readonly name: string
  readonly text: string
  readonly line?: number
}

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

/** Makes a row of what a log tells. It is right or wrong by its first metric that is 0 or 1. */
export function importedRow({ task, docId, doc, context, target, choices, responses, scores }: FoundRow): ImportedRow {
  const values = Object.values(scores[0]?.metrics ?? {})
  const decided = values.find((value) => value === 0 || value === 1)
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
    isRight: decided === undefined ? null : decided === 1,
    hash: Uint8Array.from(Buffer.from(hashJson(doc).slice('sha256:'.length), 'hex')),
  }
}

/** A figure as a log tells it: no interval is computed for what was not measured here. */
export function importedFigure(
  told: Pick<EvalFigure, 'task' | 'filter' | 'metric' | 'value' | 'stderr' | 'n'>,
  isHigherBetter = true,
): EvalFigure {
  return { ...told, slice: null, isHigherBetter, interval: null, smallestEffect: null }
}

/** Returns the digest of the rows of a log in their order. */
export function hashOfRows(rows: readonly ImportedRow[]): Buffer {
  return createHash('sha256')
    .update(Buffer.concat(rows.map(({ hash }) => hash)))
    .digest()
}
