import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { cutPrompt, type PromptEncoder } from '../prompt.ts'
import type { LabelledRow, PairRow, TaughtRow, TrainingRow } from '../rows.ts'

/** A row of a task. */
export interface TaskRow {
  readonly id: string
  readonly input: Json
  readonly output: Json
  /** 1 when absent. */
  readonly weight?: number
}

/** A better and a worse output for one input. */
export interface TaskPair {
  readonly id: string
  readonly input: Json
  readonly chosen: Json
  readonly rejected: Json
  readonly weight?: number
}

/** An output with a label: desirable or not. */
export interface LabelledTaskRow extends TaskRow {
  readonly isDesirable: boolean
}

/** An output with a teacher's distribution at each token of its answer. */
export interface TaughtTaskRow extends TaskRow {
  readonly logProbs: readonly (readonly number[])[]
  /** Tokens of each distribution; null when they name the whole vocabulary in order. */
  readonly ids: readonly (readonly number[])[] | null
}

/** A row whose prompt was too long: the number of tokens dropped from its left. */
export interface Truncation {
  readonly id: string
  readonly droppedTokens: number
}

/** Encoded rows, and which of them were cut. */
export interface EncodedRows<Row> {
  readonly rows: readonly Row[]
  readonly truncated: readonly Truncation[]
}

/**
 * Encodes rows for `supervised` and `distillation`. A sequence has at most `maxLength` tokens: longer prompts are cut
 * from the left and reported. Throws `example_too_large` for an answer that leaves no room for a prompt.
 */
export function encodeRows(
  rows: readonly TaskRow[],
  encoder: PromptEncoder,
  maxLength: number,
): EncodedRows<TrainingRow> {
  return encodeEach(rows, (row) => {
    const answer = encoder.answer(row.output)
    const { prompt, droppedTokens } = fit(row.id, encoder.prompt(row.input), answer.length, maxLength)
    return { row: { id: row.id, prompt, answer, weight: row.weight ?? 1 }, droppedTokens }
  })
}

/** Encodes rows for `dpo`, `simpo` and `orpo`, as `encodeRows` does; both answers get the same prompt. */
export function encodePairs(
  rows: readonly TaskPair[],
  encoder: PromptEncoder,
  maxLength: number,
): EncodedRows<PairRow> {
  return encodeEach(rows, (row) => {
    const chosen = encoder.answer(row.chosen)
    const rejected = encoder.answer(row.rejected)
    const longest = Math.max(chosen.length, rejected.length)
    const { prompt, droppedTokens } = fit(row.id, encoder.prompt(row.input), longest, maxLength)
    return { row: { id: row.id, prompt, chosen, rejected, weight: row.weight ?? 1 }, droppedTokens }
  })
}

/** Encodes rows for `kto`, as `encodeRows` does. */
export function encodeLabelled(
  rows: readonly LabelledTaskRow[],
  encoder: PromptEncoder,
  maxLength: number,
): EncodedRows<LabelledRow> {
  const encoded = encodeRows(rows, encoder, maxLength)
  return {
    ...encoded,
    rows: encoded.rows.map((row, index) => ({ ...row, isDesirable: rows[index]?.isDesirable ?? true })),
  }
}

/**
 * Encodes rows for `kd`, as `encodeRows` does. Throws `validation_failed` for a row whose distributions are not one for each
 * token of its answer, all of one size.
 */
export function encodeTaught(
  rows: readonly TaughtTaskRow[],
  encoder: PromptEncoder,
  maxLength: number,
): EncodedRows<TaughtRow> {
  const encoded = encodeRows(rows, encoder, maxLength)
  return {
    ...encoded,
    rows: encoded.rows.map((row, index) => {
      const { logProbs = [], ids = null } = rows[index] ?? {}
      const k = logProbs[0]?.length ?? 0
      for (const lists of [logProbs, ...(ids === null ? [] : [ids])]) {
        if (lists.length === row.answer.length && lists.every(({ length }) => length === k)) continue
        throw KERNEL_ERRORS.validation_failed(
          `row ${row.id} needs a distribution for each of the ${row.answer.length} tokens of its answer, all of one size`,
        )
      }
      return { ...row, teacher: { k, ids: ids === null ? null : ids.flat(), logProbs: logProbs.flat() } }
    }),
  }
}

function encodeEach<Row extends { readonly id: string }, Source>(
  sources: readonly Source[],
  encode: (source: Source) => { readonly row: Row; readonly droppedTokens: number },
): EncodedRows<Row> {
  const rows: Row[] = []
  const truncated: Truncation[] = []
  for (const source of sources) {
    const { row, droppedTokens } = encode(source)
    rows.push(row)
    if (droppedTokens > 0) truncated.push({ id: row.id, droppedTokens })
  }
  return { rows, truncated }
}

function fit(id: string, prompt: readonly number[], answerTokens: number, maxLength: number) {
  if (prompt.length === 0) throw KERNEL_ERRORS.validation_failed(`row ${id} has an empty prompt`)
  if (answerTokens >= maxLength) {
    throw MODEL_ERRORS.example_too_large(
      `the answer of row ${id} has ${answerTokens} tokens, which leaves no room for a prompt in ${maxLength}`,
      { details: { rowId: id, answerTokens, maxLength } },
    )
  }
  return cutPrompt(prompt, maxLength - answerTokens)
}
