import { RE2JS, type RE2JS as Pattern } from 're2js'
import type { Json } from '../../../kernel/json/json.ts'
import { pythonText } from '../prompts/python/text.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import { passedCount, scoreOf, type RowMarks } from '../bench/runs/marks.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { openFilters, type Filtered } from './filters.ts'
import type { CorpusMetricName, MetricName } from './metric-names.ts'
import type { Likelihood, RowResponses } from './responses.ts'
import { corpusMetric, isCorpusMetric } from './corpus/corpus-metrics.ts'
import { sumsOf } from './corpus/sums.ts'
import { isRightOrWrong, metricsOf, type TaskMetric } from './task-metrics.ts'

/**
 * Value of a metric for one row: a number; of metrics of pairs what the row adds to the sum of all rows: gold and prediction,
 * gold and probabilities, log-probability and weight; of metrics of a corpus the counts of the row, see `CorpusMetric`.
 */
export type MetricValue = number | readonly [number, number] | readonly [number, readonly number[]] | readonly number[]

/** Returns true for the counts of a row. */
export function isCounts(value: MetricValue): value is readonly number[] {
  return typeof value !== 'number' && value.every((each) => typeof each === 'number')
}

/** Returns the scores of a row alone, for the metrics of a corpus. */
export function scoresAlone(metrics: RowScore['metrics']): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]) =>
      value !== undefined && isCorpusMetric(name) && isCounts(value)
        ? [[name, corpusMetric(name).scoreAlone(value)]]
        : [],
    ),
  )
}

/** The score of one row under one pipeline of filters. */
export interface RowScore {
  readonly filter: string
  readonly filtered: Json
  readonly metrics: Readonly<Partial<Record<string, MetricValue>>>
}

/** The scores of one row. */
export interface ScoredRow {
  readonly scores: readonly RowScore[]
  /** By the first metric that is 0 or 1, under the first pipeline; null where the task has none. */
  readonly isRight: boolean | null
  /** Of rows that were answered more than once: the number of right answers. */
  readonly rightRepeats: number | null
}

/** Scores one row by what the target answered, or by the marks that a sandbox or a judge gave. */
export type Scorer = (row: PreparedRow, responses: RowResponses, marks?: RowMarks) => ScoredRow

/** A metric with the patterns of what it ignores, compiled. */
interface OpenMetric extends TaskMetric {
  readonly patterns: readonly Pattern[]
}

/**
 * Returns a function that scores rows of a task as `process_results` of lm-evaluation-harness 0.4.13 does. Throws an `Error`
 * for a pattern with look-around or references.
 */
export function createScorer(task: TaskConfig): Scorer {
  const metrics = metricsOf(task).map((metric): OpenMetric => {
    return { ...metric, patterns: metric.ignore.patterns.map((pattern) => RE2JS.compile(pattern)) }
  })
  const pipelines = openFilters(task)
  const first = metrics.find(({ name }) => isRightOrWrong(name))
  const scoreTexts = (row: PreparedRow, texts: readonly string[]): ScoredRow => {
    const scores = pipelines.map(({ name, apply }) => {
      const filtered = apply(texts)
      return { filter: name, filtered: listJson(filtered), metrics: textMetrics(metrics, row.target, filtered) }
    })
    const [pipeline] = pipelines
    const right = texts.filter(
      (text) =>
        pipeline !== undefined && first !== undefined && isExact(first, row.target, pipeline.applyEach(text)) === 1,
    ).length
    const isRepeated = texts.length > 1 && first !== undefined
    return { scores, isRight: isRightBy(first, scores), rightRepeats: isRepeated ? right : null }
  }
  return (row, responses, marks) => {
    if (marks !== undefined) return scoreMarks(marks)
    if (responses.type === 'texts') return scoreTexts(row, responses.texts)
    const values =
      responses.type === 'rolling'
        ? rollingMetrics(row, responses.logProb)
        : row.choices !== null && task.output_type === 'multiple_choice'
          ? choiceMetrics(row, row.choices, responses.likelihoods)
          : likelihoodMetrics(responses.likelihoods[0])
    const chosen = Object.fromEntries(
      metrics.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
    )
    const scores = pipelines.map(({ name }) => ({ filter: name, filtered: null, metrics: chosen }))
    return { scores, isRight: isRightBy(first, scores), rightRepeats: null }
  }
}

function scoreMarks(marks: RowMarks): ScoredRow {
  if (marks.type === 'code') {
    const { verdicts } = marks
    const passed = passedCount(marks)
    const metrics = { passed: passed / Math.max(1, verdicts.length) }
    return {
      scores: [{ filter: 'none', filtered: verdicts[0] ?? null, metrics }],
      isRight: verdicts[0] === 'passed',
      rightRepeats: verdicts.length > 1 ? passed : null,
    }
  }
  const score = scoreOf(marks)
  const metrics = score === null ? {} : { judge_score: score }
  return { scores: [{ filter: 'none', filtered: score, metrics }], isRight: null, rightRepeats: null }
}

type Values = Partial<Record<MetricName, MetricValue>>

function isRightBy(first: TaskMetric | undefined, [score]: readonly RowScore[]): boolean | null {
  const value = first === undefined ? undefined : score?.metrics[first.name]
  return typeof value === 'number' ? value === 1 : null
}

function likelihoodMetrics(likelihood: Likelihood | undefined): Values {
  return likelihood === undefined ? {} : { perplexity: likelihood.logProb, acc: Number(likelihood.isGreedy) }
}

function rollingMetrics({ requests: [request] }: PreparedRow, logProb: number): Values {
  const text = request?.type === 'loglikelihood_rolling' ? request.text : ''
  const words = text.split(/\s+/).length
  const bytes = Buffer.byteLength(text)
  return { word_perplexity: [logProb, words], byte_perplexity: [logProb, bytes], bits_per_byte: [logProb, bytes] }
}

function choiceMetrics({ target }: PreparedRow, choices: readonly string[], all: readonly Likelihood[]): Values {
  const likelihoods = all.slice(0, choices.length)
  const logProbs = likelihoods.map(({ logProb }) => logProb)
  const golds = (Array.isArray(target) ? target : [target]).filter((each) => typeof each === 'number')
  const isGold = (place: number): number => (golds.includes(place) ? 1 : 0)
  const gold = golds[0] ?? 0
  const chosen = likeliest(logProbs)
  const unconditional = all.slice(choices.length)
  const mutual = logProbs.map((logProb, place) => logProb - (unconditional[place]?.logProb ?? 0))
  return {
    acc: isGold(chosen),
    acc_norm: isGold(likeliest(logProbs.map((logProb, place) => logProb / Array.from(choices[place] ?? '').length))),
    acc_bytes: isGold(likeliest(logProbs.map((logProb, place) => logProb / Buffer.byteLength(choices[place] ?? '')))),
    acc_mutual_info: isGold(likeliest(mutual)),
    exact_match: golds.some((place) => likelihoods[place]?.isGreedy === true) ? 1 : 0,
    f1: [gold, chosen],
    mcc: [gold, chosen],
    brier_score: [gold, softmax(logProbs)],
  }
}

/** The place of the largest value; of equal ones the lowest place. */
function likeliest(values: readonly number[]): number {
  let best = 0
  for (const [place, value] of values.entries()) if (value > (values[best] ?? Number.NEGATIVE_INFINITY)) best = place
  return best
}

function softmax(values: readonly number[]): readonly number[] {
  const most = Math.max(...values)
  const powers = values.map((value) => Math.exp(value - most))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

function textMetrics(metrics: readonly OpenMetric[], target: Json, filtered: Filtered): Values {
  const values: Values = {}
  for (const metric of metrics) {
    const answers = typeof filtered === 'string' || filtered === null ? [filtered] : filtered
    if (isCorpusMetric(metric.name)) {
      values[metric.name] = countsOf(metric.name, target, answers)
      continue
    }
    const right = answers.reduce<number>((sum, answer) => sum + isExact(metric, target, answer), 0)
    values[metric.name] = right / Math.max(1, answers.length)
  }
  return values
}

/** The counts of a row: the sums over its answers. */
function countsOf(name: CorpusMetricName, target: Json, answers: readonly (string | null)[]): readonly number[] {
  const { count } = corpusMetric(name)
  const references = textsOf(target)
  return Array.from(sumsOf(answers.map((answer) => count(answer ?? '', references))))
}

/** The expected text, or several of which any is right. */
function textsOf(target: Json): readonly string[] {
  return (Array.isArray(target) ? target : [target]).map(pythonText)
}

/** 1 when an answer equals the expected text, or one of them. */
function isExact({ ignore, patterns }: OpenMetric, target: Json, answer: string | null): number {
  if (answer === null) return 0
  const normal = (text: string): string => {
    let left = text
    for (const pattern of patterns) left = pattern.matcher(left).replaceAll('')
    if (ignore.case) left = left.toLowerCase()
    if (ignore.punctuation) left = left.replaceAll(/[!-/:-@[-`{-~]/g, '')
    return ignore.numbers ? left.replaceAll(/[0-9]/g, '') : left
  }
  const got = normal(answer)
  return textsOf(target).some((each) => normal(each) === got) ? 1 : 0
}

function listJson(filtered: Filtered): Json {
  return typeof filtered === 'string' || filtered === null ? filtered : [...filtered]
}
