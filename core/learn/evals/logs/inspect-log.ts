import type { Json } from '../../../kernel/json/json.ts'
import { targetName } from '../evaluation.ts'
import { pythonText } from '../prompts/python/text.ts'
import { isCorpusMetric } from '../scoring/corpus/corpus-metrics.ts'
import { scoresAlone, type RowScore } from '../scoring/score-row.ts'
import type { LogFile, LoggedEvaluation, LoggedRow, ReadRows } from './log-facts.ts'

/** Characters of an input in the list of samples. */
const SUMMARY_CHARS = 1000
/** Version of the log's form. */
const VERSION = 2

/**
 * Returns the files of a log of Inspect (`.eval`, as inspect_ai 0.3.285 reads it): a sample for each row, with a score for each metric
 * that is a number; of a metric of the corpus it is the score of the row alone. The format is no frozen specification.
 */
export function inspectLog(evaluation: LoggedEvaluation, rows: ReadRows): readonly LogFile[] {
  const isMany = evaluation.definition.set.tasks.length > 1
  const summaries: string[] = []
  const all = rows(null)[Symbol.asyncIterator]()
  const sampleAt = async function* (): AsyncGenerator<string> {
    // A zip is written in the order of its files, so that one walk through the rows serves them all.
    const next = await all.next()
    if (next.done === true) throw new Error('the evaluation has fewer rows than it says')
    const sample = sampleOf(evaluation, next.value, isMany)
    const {
      messages: _,
      output: _output,
      store: _store,
      events: _events,
      attachments: _attachments,
      ...summary
    } = sample
    summaries.push(JSON.stringify({ ...summary, input: sample.input.slice(0, SUMMARY_CHARS), completed: true }))
    yield JSON.stringify(sample)
  }
  const samples = Array.from({ length: evaluation.rowCount }, (_, place) => ({
    name: `samples/${place + 1}_epoch_1.json`,
    pieces: sampleAt,
  }))
  const header = headerOf(evaluation, isMany)
  return [
    fixed('_journal/start.json', { version: VERSION, eval: header.eval, plan: header.plan }),
    ...samples,
    { name: 'summaries.json', pieces: () => once(() => `[${summaries.join(',')}]`) },
    fixed('header.json', header),
  ]
}

function fixed(name: string, value: object): LogFile {
  return { name, pieces: () => once(() => JSON.stringify(value)) }
}

async function* once(text: () => string): AsyncGenerator<string> {
  await Promise.resolve()
  yield text()
}

function headerOf(evaluation: LoggedEvaluation, isMany: boolean) {
  const { id, name, definition, summary, rowCount, createdAt, finishedAt } = evaluation
  const whole = summary.figures.filter(({ slice }) => slice === null)
  const scorers = whole.map(({ task, filter, metric }) => scorerName({ task, filter, metric }, isMany))
  const metrics = (figure: (typeof whole)[number]) =>
    Object.fromEntries(
      [
        [isCorpusMetric(figure.metric) ? 'corpus' : 'mean', figure.value],
        ['stderr', figure.stderr],
      ].flatMap(([metric, value]) =>
        typeof value === 'number' && Number.isFinite(value) ? [[metric, { name: metric, value, params: {} }]] : [],
      ),
    )
  return {
    version: VERSION,
    status: 'success',
    eval: {
      eval_id: id,
      run_id: id,
      task_id: id,
      created: createdAt.toISOString(),
      task: name,
      task_args: { seed: definition.seed, num_fewshot: definition.fewShots, limit: definition.limit },
      dataset: { name, samples: rowCount, sample_ids: Array.from({ length: rowCount }, (_, place) => place + 1) },
      model: `svc/${targetName(definition.target)}`,
      config: { limit: definition.limit, epochs: 1 },
      scorers: scorers.map((scorer) => ({ name: scorer })),
      metadata: { tasks: definition.set.tasks.map(({ task }) => task) },
    },
    plan: { name: 'plan', steps: [], config: {} },
    results: {
      total_samples: rowCount,
      completed_samples: rowCount,
      scores: whole.map((figure, place) => ({
        name: scorers[place],
        scorer: scorers[place],
        scored_samples: figure.n,
        unscored_samples: 0,
        params: {},
        metrics: metrics(figure),
      })),
    },
    stats: { started_at: createdAt.toISOString(), completed_at: finishedAt.toISOString(), model_usage: {} },
  }
}

/** The name under which Inspect shows a metric of a task. */
function scorerName(
  of: { readonly task: string; readonly filter: string; readonly metric: string },
  isMany: boolean,
): string {
  const { task, filter, metric } = of
  return `${isMany ? `${task}/` : ''}${metric}${filter === 'none' ? '' : `@${filter}`}`
}

function sampleOf({ definition }: LoggedEvaluation, { place, sample, outcome }: LoggedRow, isMany: boolean) {
  const [request] = sample.requests
  const input = request?.type === 'loglikelihood_rolling' ? request.text : (request?.context ?? '')
  const { responses } = outcome
  const texts =
    responses.type === 'texts'
      ? responses.texts
      : [responses.type === 'rolling' ? String(responses.logProb) : likeliestText(sample, responses.likelihoods)]
  const model = `svc/${targetName(definition.target)}`
  const message = (content: string) => ({ role: 'assistant', content, model, source: 'generate' })
  return {
    id: place + 1,
    epoch: 1,
    input,
    choices: sample.choices,
    target: targetText(sample.target, sample.choices),
    messages: [{ role: 'user', content: input, source: 'input' }, message(texts[0] ?? '')],
    output: { model, choices: texts.map((text) => ({ message: message(text), stop_reason: 'stop' })) },
    scores: Object.fromEntries(outcome.scores.flatMap((score) => scoresOf(sample.task, score, texts[0] ?? '', isMany))),
    metadata: { task: sample.task, doc_id: sample.docId, doc: sample.doc, cut_tokens: outcome.cutTokens },
    store: {},
    events: [],
    attachments: {},
    model_usage: {},
  }
}

function scoresOf(task: string, { filter, filtered, metrics }: RowScore, answer: string, isMany: boolean) {
  return Object.entries({ ...metrics, ...scoresAlone(metrics) }).flatMap(([metric, value]) => {
    if (typeof value !== 'number') return []
    const given = typeof filtered === 'string' ? filtered : answer
    return [[scorerName({ task, filter, metric }, isMany), { value, answer: given }] as const]
  })
}

function likeliestText({ choices }: LoggedRow['sample'], likelihoods: readonly { readonly logProb: number }[]): string {
  const logProbs = likelihoods.map(({ logProb }) => logProb).slice(0, choices?.length ?? 1)
  if (choices === null) return String(logProbs[0] ?? '')
  return choices[logProbs.indexOf(Math.max(...logProbs))] ?? ''
}

/** The expected text; of multiple choice the right option, or several. */
function targetText(target: Json, choices: readonly string[] | null): string | readonly string[] {
  const textOf = (each: Json): string =>
    typeof each === 'number' && choices !== null ? (choices[each] ?? pythonText(each)) : pythonText(each)
  return Array.isArray(target) ? target.map(textOf) : textOf(target)
}
