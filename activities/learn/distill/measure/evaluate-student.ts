import { setImmediate as nextTick } from 'node:timers/promises'
import { GENERATING } from '../../../../core/compile/stages/pool/run-terms.ts'
import { checkWeights } from '../../../../core/compile/runtime/check-weights.ts'
import type { AdapterData } from '../../../../core/compile/stages/stage-types.ts'
import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import { NEUTRAL_TEXT } from '../../../../core/learn/distill/neutral-text.ts'
import { rewardFigures, type ScoredAnswer, type ScoredPair } from '../../../../core/learn/distill/rewards.ts'
import { zipStreams } from '../../../../core/learn/datasets/export/zip-streams.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { readAdapter } from '../../../../core/model/files/adapter-files.ts'
import { adapterHash } from '../../../../core/model/files/lora-adapter.ts'
import type { OpenGenerator } from '../../../../core/model/generation/generators.ts'
import type { AdapterRef } from '../../../../core/model/generation/generator.ts'
import type { Tokenizer } from '../../../../core/model/tokenizer/tokenizer.ts'
import { createPromptEncoder } from '../../../../core/model/training/prompt.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import { findReadyVersion } from '../../../../db/learn/datasets/find-dataset.ts'
import { beginRunStage, recordFigures } from '../../../../db/learn/distill/advance-run.ts'
import { findRun, type ShownRun } from '../../../../db/learn/distill/find-run.ts'
import { inSlot } from '../../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from '../deps.ts'
import { pairsOfVersion } from '../examples.ts'
import { fittedAdapter } from './fitted-adapter.ts'
import { measured } from './measured.ts'

/** Held-out pairs that are scored at most: those that come first in the version. */
const MOST_PAIRS = 1000

/** Measurements of an adapter. */
export interface EvaluatedStudent {
  readonly hasAdapter: boolean
  readonly rewardAccuracy: number | null
  readonly rewardMargin: number | null
}

/** A run without an adapter, or whose adapter could not be read. */
const NO_ADAPTER: EvaluatedStudent = { hasAdapter: false, rewardAccuracy: null, rewardMargin: null }

/**
 * Measures the adapter that the compile of a run fitted, signed or not: rewards on held-out pairs, and bits per byte of a neutral text
 * before and after. Keeps its files with the run. Does nothing for a compile without an adapter. What cannot be measured is recorded as
 * such, and the run continues. Safe to repeat: the same adapter gives the same figures.
 */
export async function evaluateStudent(deps: DistillDeps, ref: RunRef): Promise<EvaluatedStudent> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const run = await findRun(op, ref.runId)
      const read = await measured(deps.log, activity, async () => await fittedAdapter(deps, ref, run.jobId))
      if (read.missing !== null) {
        await beginRunStage(op, ref.runId, 'evaluate', { manifest: { retention: { ...read.missing } } })
        return NO_ADAPTER
      }
      const { found: data } = read
      if (data === null) return NO_ADAPTER
      await beginRunStage(op, ref.runId, 'evaluate')
      const student = { base: data.recipe.base.name, kind: 'lora' }
      const { found, missing } = await measured(deps.log, activity, async () => {
        return await measureStudent(deps, ref, { run, data, activity })
      })
      const { figures = null, retention = missing, rewards = missing } = found ?? {}
      const manifest = { student, retention: retention && { ...retention }, rewards: rewards && { ...rewards } }
      const kept = await measured(deps.log, activity, async () => await keepFiles(deps, data, activity))
      if (kept.found === null) {
        await beginRunStage(op, ref.runId, 'evaluate', { manifest: { ...manifest, adapter: { ...kept.missing } } })
      } else {
        await recordFigures(op, ref.runId, { figures: figures ?? {}, manifest, adapterSha256: kept.found })
      }
      return {
        hasAdapter: true,
        rewardAccuracy: figures?.reward_accuracy ?? null,
        rewardMargin: figures?.reward_margin ?? null,
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Measuring {
  readonly run: ShownRun
  readonly data: AdapterData
  readonly activity: RunningActivity
}

async function measureStudent(deps: DistillDeps, ref: RunRef, { run, data, activity }: Measuring) {
  const held = await heldPairs(deps, ref, run)
  // A run that was paid for is measured, whatever unpaid compute its tenant has used.
  const work = { tenantId: ref.tenantId, runId: ref.runId }
  const { scored, before, after } = await inSlot(
    deps,
    { ...GENERATING, isMetered: false, work },
    activity,
    async (working, slot) =>
      deps.generators.use(data.recipe.base.name, async (open) => {
        checkWeights(data.recipe.base, open.base)
        const student = openStudent(open, data, working)
        const before = await bitsPerByte(student, false)
        const after = await bitsPerByte(student, true)
        const scored: ScoredPair[] = []
        for (const { input, chosen, rejected } of held) {
          const [better, worse] = await scoreAnswers(student, input, [chosen, rejected])
          if (better !== undefined && worse !== undefined) scored.push({ chosen: better, rejected: worse })
          working.note({ step: 'evaluate', done: scored.length, total: held.length })
          if (scored.length < held.length) await slot.nextTurn()
          await nextTick()
        }
        return { scored, before, after }
      }),
  )
  const { request } = run
  const rewards = request.kind === 'preference' ? rewardFigures(scored, request.objective, request.beta) : null
  return {
    figures: {
      ...(after !== null && { bits_per_byte: after }),
      ...(rewards !== null && { reward_accuracy: rewards.reward_accuracy, reward_margin: rewards.reward_margin }),
    },
    retention: {
      text_bytes: Buffer.byteLength(NEUTRAL_TEXT),
      bits_per_byte_before: before,
      bits_per_byte_after: after,
    },
    rewards: rewards === null ? null : { ...rewards, held_out_pairs: held.length },
  }
}

interface HeldPair {
  readonly input: Json
  readonly chosen: Json
  readonly rejected: Json
}

/** The held-out pairs of a run that has some. */
async function heldPairs(deps: DistillDeps, ref: RunRef, run: ShownRun): Promise<readonly HeldPair[]> {
  const { datasetId, datasetVersion, request } = run
  if (request.kind !== 'preference' || !datasetId || !datasetVersion) return []
  const op = operationOf(deps, ref)
  const version = await findReadyVersion(op, datasetId, datasetVersion)
  const held: HeldPair[] = []
  for await (const { isHeld, preference } of pairsOfVersion(op, run, { version, limits: deps.limits })) {
    const { input, chosen, rejected } = preference
    if (isHeld && chosen !== null && rejected !== null) held.push({ input, chosen, rejected })
    if (held.length === MOST_PAIRS) break
  }
  return held
}

/** A base that is open, with the adapter and the way it is asked. */
interface Student {
  readonly open: OpenGenerator
  readonly adapter: AdapterRef
  readonly encoder: ReturnType<typeof createPromptEncoder>
  readonly activity: RunningActivity
}

function openStudent(open: OpenGenerator, { recipe, adapter: files }: AdapterData, activity: RunningActivity): Student {
  const { model, tokenizer, chatTemplate } = open.base
  const [endTokenId] = model.config.eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const adapter = readAdapter(filesOf(files), model.config)
  return {
    open,
    adapter: { hash: adapterHash(adapter), adapter },
    encoder: createPromptEncoder(recipe.prompt, { tokenizer, chatTemplate, endTokenId }),
    activity,
  }
}

function filesOf({ config, weights }: AdapterData['adapter']): ReadonlyMap<string, Uint8Array> {
  return new Map([
    ['adapter_config.json', config],
    ['adapter_model.safetensors', weights],
  ])
}

/** The log-probabilities of answers to one prompt, under the student and under its base; of a long prompt the end is kept. */
async function scoreAnswers(
  { open, adapter, encoder, activity }: Student,
  input: Json,
  answers: readonly Json[],
): Promise<readonly ScoredAnswer[]> {
  const { contextLength } = open.base.model.config
  const continuations = answers.map((answer) => [...encoder.answer(answer)].slice(0, contextLength - 2))
  const room = contextLength - Math.max(...continuations.map(({ length }) => length))
  const asked = { promptIds: encoder.prompt(input).slice(-room), continuations, signal: activity.signal }
  const student = await open.generator.scoreContinuations({ ...asked, adapter })
  const base = await open.generator.scoreContinuations(asked)
  return continuations.map(({ length: tokens }, at) => ({
    tokens,
    student: student[at]?.logProb ?? 0,
    base: base[at]?.logProb ?? 0,
  }))
}

/** Bits per byte of the neutral text, in windows of the context; null for a vocabulary that cannot write it. */
async function bitsPerByte({ open, adapter, activity }: Student, isAdapted: boolean): Promise<number | null> {
  const { model, tokenizer } = open.base
  const [first] = model.config.eosTokenIds
  const ids = tokensOf(tokenizer)
  if (ids === null) return null
  const window = Math.min(512, model.config.contextLength - 1)
  let logProb = 0
  for (let from = 0; from < ids.length; from += window) {
    const [score] = await open.generator.scoreContinuations({
      promptIds: [model.config.bosTokenId ?? first ?? 0],
      continuations: [ids.slice(from, from + window)],
      signal: activity.signal,
      ...(isAdapted && { adapter }),
    })
    logProb += score?.logProb ?? 0
  }
  return -logProb / Math.LN2 / Buffer.byteLength(NEUTRAL_TEXT)
}

function tokensOf(tokenizer: Tokenizer): readonly number[] | null {
  try {
    return tokenizer.encode(NEUTRAL_TEXT)
  } catch (error) {
    if (MODEL_ERRORS.invalid_model.matches(error)) return null
    throw error
  }
}

/** Stores PEFT's two files as a zip: the same adapter gives the same bytes. */
async function keepFiles(deps: DistillDeps, { adapter }: AdapterData, activity: RunningActivity): Promise<Sha256> {
  const members = [...filesOf(adapter)].map(([name, bytes]) => ({ name, bytes: () => [bytes] }))
  const { sha256 } = await putBlob(deps.db, zipStreams(members), { signal: activity.signal })
  return sha256
}
