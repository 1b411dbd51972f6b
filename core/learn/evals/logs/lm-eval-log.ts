import { createHash } from 'node:crypto'
import type { Json } from '../../../kernel/json/json.ts'
import { targetName } from '../evaluation.ts'
import { pythonText } from '../prompts/python/text.ts'
import { isCorpusMetric } from '../scoring/corpus/corpus-metrics.ts'
import type { RowScore } from '../scoring/score-row.ts'
import { metricsOf } from '../scoring/task-metrics.ts'
import { settingsOf } from '../targets/generation-settings.ts'
import type { TaskConfig } from '../task/task-config.ts'
import type { LogFile, LoggedEvaluation, LoggedRow, ReadRows } from './log-facts.ts'

/**
 * Returns the files that lm-evaluation-harness 0.4.13 writes with `--output_path` and `--log_samples`: one of results, and
 * one of samples for each task (`lm_eval/loggers/evaluation_tracker.py`).
 */
export function lmEvalLog(evaluation: LoggedEvaluation, rows: ReadRows): readonly LogFile[] {
  const date = evaluation.finishedAt.toISOString().replaceAll(':', '-').replace('Z', '')
  const samples = evaluation.definition.set.tasks.map((task) => ({
    name: `samples_${task.task.replaceAll(/[^\w.-]/g, '_')}_${date}.jsonl`,
    pieces: async function* (): AsyncGenerator<string> {
      for await (const row of rows(task.task)) for (const line of linesOf(task, row)) yield `${JSON.stringify(line)}\n`
    },
  }))
  const results = {
    name: `results_${date}.json`,
    pieces: async function* (): AsyncGenerator<string> {
      await Promise.resolve()
      yield JSON.stringify(resultsOf(evaluation), null, 2)
    },
  }
  return [results, ...samples]
}

function resultsOf({ definition, summary, createdAt, finishedAt }: LoggedEvaluation) {
  const { tasks, groups } = definition.set
  const byTask = <T>(value: (task: TaskConfig) => T) =>
    Object.fromEntries(tasks.map((task) => [task.task, value(task)]))
  const figures = summary.figures.filter(({ slice }) => slice === null)
  const results = byTask(({ task, task_alias: alias }) => ({
    alias: alias ?? task,
    ...Object.fromEntries(
      figures
        .filter((figure) => figure.task === task)
        .flatMap(({ metric, filter, value, stderr }) => [
          [`${metric},${filter}`, value],
          [`${metric}_stderr,${filter}`, stderr ?? 'N/A'],
        ]),
    ),
  }))
  const ofGroups = Object.fromEntries(
    groups.map(({ name }) => [
      name,
      {
        alias: name,
        ...Object.fromEntries(
          summary.groups
            .filter(({ group }) => group === name)
            .flatMap(({ metric, value, stderr }) => [
              [`${metric},none`, value],
              [`${metric}_stderr,none`, stderr ?? 'N/A'],
            ]),
        ),
      },
    ]),
  )
  const rowsOf = (task: string) => figures.find((figure) => figure.task === task)?.n ?? 0
  return {
    results: { ...results, ...ofGroups },
    ...(groups.length > 0 && { groups: ofGroups }),
    group_subtasks: Object.fromEntries([
      ...tasks.map(({ task }) => [task, []]),
      ...groups.map((group) => [group.name, group.tasks]),
    ]),
    configs: byTask((task) => task),
    versions: byTask(({ metadata }) => metadata?.['version'] ?? 'Yaml'),
    'n-shot': byTask(({ num_fewshot: shots }) => definition.fewShots ?? shots ?? 0),
    higher_is_better: byTask((task) =>
      Object.fromEntries(metricsOf(task).map(({ name, isHigherBetter }) => [name, isHigherBetter])),
    ),
    'n-samples': byTask(({ task }) => ({ original: rowsOf(task), effective: rowsOf(task) })),
    config: {
      model: 'svc',
      model_args: targetName(definition.target),
      limit: definition.limit,
      fewshot_seed: definition.seed,
    },
    date: createdAt.getTime() / 1000,
    start_time: createdAt.getTime() / 1000,
    end_time: finishedAt.getTime() / 1000,
  }
}

function linesOf(task: TaskConfig, { sample, outcome }: LoggedRow) {
  const { docId, doc, requests, target } = sample
  const settings = task.generation_kwargs ?? {}
  const args = requests.map((request): readonly Json[] => {
    if (request.type === 'loglikelihood') return [request.context, request.continuation]
    if (request.type === 'loglikelihood_rolling') return [request.text]
    return [request.context, { ...JSON.parse(JSON.stringify(settings)), until: [...settingsOf(task).until] }]
  })
  const prompt = args[0]?.[0]
  return outcome.scores.map(({ filter, filtered, metrics }) => ({
    doc_id: docId,
    doc,
    target: pythonText(target),
    arguments: Object.fromEntries(
      args.map((given, place) => [
        `gen_args_${place}`,
        Object.fromEntries(given.map((each, index) => [`arg_${index}`, each])),
      ]),
    ),
    resps: responsesOf(outcome),
    filtered_resps: filtered === null ? responsesOf(outcome).map(([first]) => first ?? null) : [filtered],
    filter,
    metrics: Object.keys(metrics),
    doc_hash: hashOf(JSON.stringify(doc, null, 2)),
    prompt_hash: hashOf(typeof prompt === 'string' ? prompt : ''),
    target_hash: hashOf(pythonText(target)),
    ...loggedMetrics(metrics, target, filtered),
  }))
}

/** Metrics of a row; of a metric of the corpus the reference and the answer, as lm-evaluation-harness writes them. */
function loggedMetrics(metrics: RowScore['metrics'], target: Json, filtered: Json): Readonly<Record<string, unknown>> {
  const reference = Array.isArray(target) ? target.map(pythonText) : pythonText(target)
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [
      name,
      isCorpusMetric(name) && typeof value === 'object' ? [reference, filtered] : value,
    ]),
  )
}

/** As lm-evaluation-harness writes them: likelihoods as a pair of texts. */
function responsesOf({ responses }: LoggedRow['outcome']): readonly (readonly Json[])[] {
  if (responses.type === 'texts') return [responses.texts]
  if (responses.type === 'rolling') return [[String(responses.logProb)]]
  return responses.likelihoods.map(({ logProb, isGreedy }) => [[String(logProb), isGreedy ? 'True' : 'False']])
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
