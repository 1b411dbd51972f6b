import type { z } from 'zod'
import { sha256, type Json } from '../../../core/kernel/json/json.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import type { BenchDefinition } from '../../../core/learn/evals/bench/runs/bench-definition.ts'
import { passedCount, scoreOf } from '../../../core/learn/evals/bench/runs/marks.ts'
import { answerOf, targetName } from '../../../core/learn/evals/evaluation.ts'
import type { EvalSummary } from '../../../core/learn/evals/scoring/summarize.ts'
import type { BenchRunView } from '../../../core/learn/wire/bench/runs.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { countJudgeErrors, listEvaluationRows } from '../../../db/learn/evals/evaluation-rows.ts'
import type { ShownEvaluation } from '../../../db/learn/evals/find-evaluation.ts'

type View = z.input<typeof BenchRunView>
type Results<B> = Extract<NonNullable<View['results']>, { readonly benchmark: B }>

const SAMPLES = 8
const SHOWN_ROWS = 16
const QUESTION_CHARS = 200
const MESSAGE_CHARS = 512

/** Shows a run, with its results when all rows are scored. */
export async function presentRun(op: Operation, evaluation: ShownEvaluation, bench: BenchDefinition): Promise<View> {
  const { id, definition, summary } = evaluation
  return {
    run_id: id,
    benchmark: bench.benchmark,
    name: evaluation.name,
    namespace: evaluation.namespace,
    state: evaluation.state,
    target: targetName(definition.target),
    pack: {
      pack_id: bench.pack.id,
      name: bench.pack.name,
      pack_sha256: bench.pack.fileSha256,
      questions: bench.pack.questions,
    },
    rows: evaluation.rowCount,
    scored: evaluation.scoredCount,
    results: summary === null || summary === undefined ? null : await resultsOf(op, { id, bench, summary }),
    error_code: evaluation.errorCode ?? null,
    error: evaluation.errorMessage ?? null,
    created_at: evaluation.createdAt.toISOString(),
    finished_at: evaluation.finishedAt?.toISOString() ?? null,
    poll: `/v1/bench/runs/${id}`,
    evaluation: `/v1/evals/${id}`,
  }
}

interface Scored {
  readonly id: string
  readonly bench: BenchDefinition
  readonly summary: EvalSummary
}

async function resultsOf(op: Operation, run: Scored): Promise<NonNullable<View['results']>> {
  switch (run.bench.benchmark) {
    case 'mmlu':
      return await mmluResults(op, run)
    case 'humaneval':
      return await humanEvalResults(op, run)
    case 'mtbench':
      return await mtBenchResults(op, run)
  }
}

async function mmluResults(op: Operation, { id, summary }: Scored): Promise<Results<'mmlu'>> {
  const subjects = summary.figures.map(({ task, value, n }) => ({ task, n, correct: Math.round(value * n) }))
  const n = subjects.reduce((sum, subject) => sum + subject.n, 0)
  const correct = subjects.reduce((sum, subject) => sum + subject.correct, 0)
  const rows = await listEvaluationRows(op, id, { from: 0, limit: SAMPLES })
  return {
    benchmark: 'mmlu',
    n,
    correct,
    accuracy: rounded(correct / n),
    interval: wilsonInterval(correct, n),
    by_subject: Object.fromEntries(
      subjects.map((subject) => [
        subject.task,
        {
          n: subject.n,
          correct: subject.correct,
          accuracy: rounded(subject.correct / subject.n),
          interval: wilsonInterval(subject.correct, subject.n),
        },
      ]),
    ),
    sample_runs: rows.map(({ task, sample, outcome, isRight }) => ({
      subject: task,
      question: textOf(sample.doc['question']).slice(0, QUESTION_CHARS),
      expected: letterOf(sample.target) ?? '',
      got: outcome === null || outcome === undefined ? null : letterOf(answerOf(outcome)),
      right: isRight ?? null,
    })),
  }
}

/** The letter of a choice, which likelihoods give as its place. */
function letterOf(value: Json): string | null {
  if (typeof value === 'number') return 'ABCD'[value] ?? null
  return typeof value === 'string' ? value : null
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

async function humanEvalResults(op: Operation, { id, summary }: Scored): Promise<Results<'humaneval'>> {
  const [figure] = summary.figures
  const rows = await listEvaluationRows(op, id, { from: 0, limit: SHOWN_ROWS })
  const marked = rows.flatMap(({ sample, outcome }) => {
    const marks = outcome?.marks
    return marks?.type === 'code' ? [{ sample, marks, responses: outcome?.responses }] : []
  })
  const samples = marked[0]?.marks.verdicts.length ?? 1
  const { value = 0, n = 0 } = figure ?? {}
  const interval = figure?.interval
  return {
    benchmark: 'humaneval',
    n,
    n_samples: samples,
    passed: Math.round(value * n * samples),
    pass_at_1: value,
    pass_at: {
      1: value,
      ...Object.fromEntries(summary.passes.map(({ k, passAtK }) => [String(k), passAtK])),
    },
    interval: interval === null || interval === undefined ? null : { low: interval.low, high: interval.high },
    by_task: marked.map(({ sample, marks, responses }) => {
      const failed = marks.verdicts.find((verdict) => verdict.startsWith('failed: '))
      return {
        task_id: textOf(sample.doc['task_id']),
        passed: passedCount(marks),
        verdicts: countBy(marks.verdicts.map((verdict) => verdict.split(':', 1)[0] ?? verdict)),
        completion_sha256: sha256(responses?.type === 'texts' ? (responses.texts[0] ?? '') : ''),
        message: failed?.slice('failed: '.length, MESSAGE_CHARS) ?? null,
      }
    }),
  }
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
}

async function mtBenchResults(op: Operation, { id, bench, summary }: Scored): Promise<Results<'mtbench'>> {
  const whole = summary.figures.find(({ slice }) => slice === null)
  const rows = await listEvaluationRows(op, id, { from: 0, limit: SHOWN_ROWS })
  const questions = rows.flatMap(({ sample, outcome }) => {
    const marks = outcome?.marks
    if (marks?.type !== 'judge') return []
    return {
      question_id: sample.doc['question_id'] ?? null,
      category: sample.slice ?? '',
      turn_1_score: marks.turns[0]?.score ?? null,
      turn_2_score: marks.turns[1]?.score ?? null,
      mean: scoreOf(marks),
      judge_error: marks.turns.find(({ error }) => error !== null)?.error ?? null,
    }
  })
  const interval = whole?.interval
  return {
    benchmark: 'mtbench',
    n: whole?.n ?? 0,
    mean_score: whole?.value ?? null,
    interval: interval === null || interval === undefined ? null : { low: interval.low, high: interval.high },
    judge: bench.judge?.model ?? '',
    judge_errors: await countJudgeErrors(op, id),
    by_category: Object.fromEntries(
      summary.figures.flatMap(({ slice, n, value }) => (slice === null ? [] : [[slice, { n, mean_score: value }]])),
    ),
    by_question: questions,
  }
}
