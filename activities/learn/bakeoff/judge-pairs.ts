import { isErrorCode, type ErrorCode } from '../../../core/learn/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { canonicalJson } from '../../../core/kernel/json/json.ts'
import type { AnswerCost } from '../../../core/learn/evals/bakeoff/answer.ts'
import { judgeRequest, readVerdict } from '../../../core/learn/evals/bakeoff/judge.ts'
import { findBakeoff } from '../../../db/learn/bakeoffs/find-bakeoff.ts'
import { judgedPairs, listOutputs, recordPreference, type AnswerPair } from '../../../db/learn/bakeoffs/preferences.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { ask } from './ask.ts'
import { eachAtOnce } from './ask-contestant.ts'
import { operationOf, type BakeoffDeps, type BakeoffRef } from './deps.ts'
import { readBakeoffRows } from './read-rows.ts'

/** Attempts after which a judge that does not answer is given up. */
const MOST_ATTEMPTS = 4
const FREE: AnswerCost = { latencyMs: 0, cpuMs: null, inputTokens: 0, outputTokens: 0, usd: 0 }

/**
 * Asks the judge for each pair of contestants on some rows: twice, in both orders, since models prefer a place. The share that the first
 * contestant won is the mean of both verdicts, so opposite ones make a tie; a verdict that cannot be read leaves the pair without a share.
 * Equal answers are a tie without a question. Safe to repeat: a pair is recorded when both verdicts are there, so a killed worker asks
 * again only for pairs under way. Returns why it stopped before the end; null when it did not.
 */
export async function judgePairs(deps: BakeoffDeps, ref: BakeoffRef): Promise<ErrorCode | null> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const { definition, contestants, finishedAt, ...bakeoff } = await findBakeoff(op, ref.bakeoffId)
      const { judge, judgedRows, instruction, rows: most } = definition.options
      if (finishedAt !== null || judge === null) return null
      const { namespace, datasetId, datasetVersion: version } = bakeoff
      try {
        const model = await deps.models.open({ ...definition.caller, tenantId: ref.tenantId, namespace }, judge)
        const { held } = await readBakeoffRows(op, { datasetId, version, train: 1, held: most })
        const rows = held.slice(0, judgedRows)
        const able = contestants.filter(({ errorCode }) => errorCode === null).map(({ contestant }) => contestant)
        const known = await judgedPairs(op, ref.bakeoffId)
        const outputs = await listOutputs(
          op,
          ref.bakeoffId,
          rows.map(({ place }) => place),
        )
        const pairs = rows.flatMap(({ place, input }) =>
          pairsOf(able).flatMap(([first, second]) => {
            const [one, other] = [outputs.get(`${first} ${place}`), outputs.get(`${second} ${place}`)]
            const pair: AnswerPair = { place, first, second }
            return one === undefined || other === undefined || known.has(keyOf(pair))
              ? []
              : [{ pair, input, one, other }]
          }),
        )
        let done = known.size
        const total = done + pairs.length
        await eachAtOnce(pairs, activity.signal, async ({ pair, input, one, other }, signal) => {
          if (canonicalJson(one) === canonicalJson(other)) {
            await recordPreference(op, { ...ref, namespace, pair, won: 0.5, cost: FREE })
          } else {
            const forth = await ask(model, judgeRequest({ instruction, input, one, other }), signal)
            const back = await ask(model, judgeRequest({ instruction, input, one: other, other: one }), signal)
            const [first, second] = [forth, back].map(({ text }) => (text === null ? null : readVerdict(text)))
            const won = isNumber(first) && isNumber(second) ? (first + 1 - second) / 2 : null
            await recordPreference(op, { ...ref, namespace, pair, won, cost: sumOf(forth.cost, back.cost) })
          }
          done++
          activity.note({ step: 'judge', done, total })
        })
        return null
      } catch (error) {
        if (!(error instanceof DomainError) || !isErrorCode(error.code)) throw error
        if (error.facts.retryable && activity.attempt < MOST_ATTEMPTS) throw error
        return error.code
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

function pairsOf(places: readonly number[]): readonly (readonly [number, number])[] {
  return places.flatMap((first, at) => places.slice(at + 1).map((second) => [first, second] as const))
}

function keyOf({ place, first, second }: AnswerPair): string {
  return `${place} ${first} ${second}`
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number'
}

function sumOf(one: AnswerCost, other: AnswerCost): AnswerCost {
  const sum = (first: number | null, second: number | null): number | null =>
    first === null || second === null ? null : first + second
  return {
    latencyMs: one.latencyMs + other.latencyMs,
    cpuMs: null,
    inputTokens: sum(one.inputTokens, other.inputTokens),
    outputTokens: sum(one.outputTokens, other.outputTokens),
    usd: sum(one.usd, other.usd),
  }
}
