import { LEARN_ERRORS } from '../../errors.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { isCorpusMetric } from '../scoring/corpus/corpus-metrics.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { readColumns, type ColumnReader } from './columns.ts'
import { createSampler } from './few-shot.ts'
import type { EvalRequest, PreparedRow } from './prepared.ts'
import { pythonText } from './python/text.ts'
import { qaTurnText } from './qa-turn.ts'

/** Rows by the name of their split. */
export type SplitRows = Readonly<Record<string, readonly JsonObject[]>>

/** Choices of an evaluation that are not the task's. */
export interface PrepareOptions {
  /** Examples in each prompt, in place of the task's number. */
  readonly fewShots: number | null
  /** Rows of each task at most, from the first on. */
  readonly limit: number | null
  readonly seed: number
  /** Column by which rows are sliced, and column whose equal values belong together. */
  readonly sliceBy: string | null
  readonly clusterBy: string | null
}

/**
 * Returns the rows of a task with their requests, byte for byte as lm-evaluation-harness 0.4.13 makes them without a chat
 * template. Throws `invalid_eval_task` for splits that are not there, `invalid_eval_row` for a row that the templates cannot read and
 * `eval_gold_out_of_range`, with the row's number, counted from 1.
 */
export function prepareTask(task: TaskConfig, splits: SplitRows, options: PrepareOptions): readonly PreparedRow[] {
  const split = task.test_split ?? task.validation_split
  if (split === undefined || split === null) {
    throw LEARN_ERRORS.invalid_eval_task(`${task.task}: has neither test_split nor validation_split`)
  }
  const all = rowsOf(task, splits, split)
  const rows = all.slice(0, options.limit ?? all.length)
  if (rows.length === 0)
    throw LEARN_ERRORS.invalid_eval_task(`${task.task}: the split ${JSON.stringify(split)} has no rows`)
  const reader = readColumns(task, new Set(all.flatMap((row) => Object.keys(row))))
  const isMulti = onRow(task, 1, () => {
    const [first] = all
    return {
      input: task.doc_to_choice !== undefined && first !== undefined && typeof reader.text(first) === 'number',
      target: first !== undefined && Array.isArray(reader.target(first)),
    }
  })
  const prefixOf = createPrefix(task, reader, splits, isMulti.input, options)
  return rows.map((row, docId) =>
    onRow(task, docId + 1, () => prepareRow({ task, reader, isMulti, options }, row, docId, prefixOf(row))),
  )
}

interface Preparing {
  readonly task: TaskConfig
  readonly reader: ColumnReader
  /** Whether the options are in the prompts, and whether rows have several right answers. */
  readonly isMulti: { readonly input: boolean; readonly target: boolean }
  readonly options: PrepareOptions
}

/** Returns a function that writes what stands before the question of a row: description and examples. */
function createPrefix(
  task: TaskConfig,
  reader: ColumnReader,
  splits: SplitRows,
  isMultiInput: boolean,
  { fewShots, seed }: PrepareOptions,
): (row: JsonObject) => string {
  const count = fewShots ?? task.num_fewshot ?? 0
  const config = task.fewshot_config
  const exampleSplit = config?.split ?? task.fewshot_split ?? null
  const pool = count === 0 ? [] : examplesOf(task, splits, exampleSplit)
  const sampler = createSampler(config?.sampler ?? 'default', pool, seed)
  const isOwnSplit = exampleSplit === (task.test_split ?? null)
  const exampleText = (row: JsonObject): string => {
    const choices =
      task.doc_to_choice === undefined && config?.doc_to_choice === undefined
        ? null
        : reader.choices(row, config?.doc_to_choice)
    const question = reader.text(row, config?.doc_to_text)
    return qaTurnText({
      question: isMultiInput && typeof question === 'number' ? (choices?.[question] ?? '') : textOf(question),
      choices: isMultiInput ? null : choices,
      answer: reader.target(row, config?.doc_to_target),
      prefix: reader.field(row, config?.gen_prefix ?? task.gen_prefix),
      targetDelimiter: config?.target_delimiter ?? task.target_delimiter,
      fewshotDelimiter: config?.fewshot_delimiter ?? task.fewshot_delimiter,
    })
  }
  return (row) => {
    const description = reader.field(row, task.description) ?? ''
    const examples = count === 0 ? [] : sampler.sample(count, row, isOwnSplit)
    return description + examples.map(exampleText).join('')
  }
}

function examplesOf(task: TaskConfig, splits: SplitRows, split: string | null): readonly JsonObject[] {
  if (split !== null) return rowsOf(task, splits, split)
  if (task.fewshot_config?.samples !== undefined) return task.fewshot_config.samples
  const fallback = task.training_split ?? task.validation_split ?? task.test_split
  return fallback === undefined || fallback === null ? [] : rowsOf(task, splits, fallback)
}

/** The rows of a split: the rows given for this task, else the rows given for all tasks. */
function rowsOf({ task }: TaskConfig, splits: SplitRows, split: string): readonly JsonObject[] {
  const name = [`${task}/${split}`, split].find((each) => Object.hasOwn(splits, each))
  const rows = name === undefined ? undefined : splits[name]
  if (rows !== undefined) return rows
  throw LEARN_ERRORS.invalid_eval_task(`${task}: there are no rows of the split ${JSON.stringify(split)} in \`data\``, {
    details: { task, split },
  })
}

function prepareRow(
  { task, reader, isMulti, options }: Preparing,
  doc: JsonObject,
  docId: number,
  before: string,
): PreparedRow {
  const choices = task.doc_to_choice === undefined ? null : reader.choices(doc)
  const target = reader.target(doc)
  const given = reader.text(doc)
  const prefix = reader.prefix(doc)
  const context = (question: string, targetDelimiter: string): string =>
    before + qaTurnText({ question, choices: null, answer: null, prefix, targetDelimiter, fewshotDelimiter: '' })
  const requests = ((): readonly EvalRequest[] => {
    switch (task.output_type) {
      case 'loglikelihood':
        return [
          {
            type: 'loglikelihood',
            context: context(textOf(given), task.target_delimiter),
            continuation: pythonText(target),
          },
        ]
      case 'loglikelihood_rolling':
        return [{ type: 'loglikelihood_rolling', text: pythonText(target) }]
      case 'multiple_choice':
        return optionsOf(task, isMulti.input, { given, target, choices: choices ?? [], context })
      case 'generate_until': {
        // An artifact may take an input that is no text, so that one is shown as Python writes it.
        const question = typeof given === 'string' ? given : pythonText(given)
        return [{ type: 'generate_until', context: context(question, task.target_delimiter), input: given }]
      }
    }
  })()
  const gold = goldOf(task, isMulti.input ? given : target, choices, docId)
  const counted = (task.metric_list ?? []).find(({ metric }) => isCorpusMetric(metric))
  if (counted !== undefined && Array.isArray(gold) && gold.length === 0) {
    throw new Error(`doc_to_target gives an empty list, and ${counted.metric} needs a reference`)
  }
  return {
    task: task.task,
    docId,
    doc,
    requests,
    target: gold,
    choices,
    slice: labelOf(doc, options.sliceBy),
    cluster: labelOf(doc, options.clusterBy),
  }
}

function optionsOf(
  task: TaskConfig,
  isMultiInput: boolean,
  row: {
    readonly given: Json
    readonly target: Json
    readonly choices: readonly string[]
    readonly context: (question: string, targetDelimiter: string) => string
  },
): readonly EvalRequest[] {
  const { given, target, choices, context } = row
  if (choices.length === 0) throw new Error('there are no options')
  const option = (before: string, text: string): EvalRequest => ({
    type: 'loglikelihood',
    context: before,
    continuation: `${task.target_delimiter}${text}`,
  })
  const asked = isMultiInput
    ? choices.map((choice) => option(context(choice, ''), pythonText(target)))
    : choices.map((choice) => option(context(textOf(given), task.target_delimiter), choice))
  const isMutual = task.metric_list?.some(({ metric }) => metric === 'acc_mutual_info') === true
  return isMutual ? [...asked, ...choices.map((choice) => option('', choice))] : asked
}

/** The index of the right option, or of several; of other tasks the target as it is. */
function goldOf(task: TaskConfig, target: Json, choices: readonly string[] | null, docId: number): Json {
  if (choices === null) return target
  const indexOf = (each: Json): number => {
    const index = typeof each === 'number' ? each : choices.indexOf(pythonText(each))
    if (Number.isInteger(index) && index >= 0 && index < choices.length) return index
    throw LEARN_ERRORS.eval_gold_out_of_range(
      `${task.task}, row ${docId + 1}: the right option ${JSON.stringify(each)} is not among the ${choices.length} options`,
      { details: { task: task.task, row: docId + 1, choices: choices.length } },
    )
  }
  if (task.output_type === 'multiple_choice') return Array.isArray(target) ? target.map(indexOf) : indexOf(target)
  if (task.output_type === 'generate_until' && typeof target === 'number') return choices[indexOf(target)] ?? null
  return target
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value
  throw new Error('doc_to_text gives no text')
}

function labelOf(doc: JsonObject, name: string | null): string | null {
  const value = name === null || !Object.hasOwn(doc, name) ? null : doc[name]
  return value === undefined || value === null ? null : pythonText(value).slice(0, 200)
}

/** Does the work of one row; what is wrong with it names the task and the row. */
function onRow<T>(task: TaskConfig, row: number, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    const problem = cause instanceof Error ? cause.message.slice(0, 300) : 'cannot be read'
    throw LEARN_ERRORS.invalid_eval_row(`${task.task}, row ${row}: ${problem}`, {
      details: { task: task.task, row },
      cause,
    })
  }
}
