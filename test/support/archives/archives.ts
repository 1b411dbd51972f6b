import { createPrivateKey } from 'node:crypto'
import { buildContent, type ContentInput, type ContentMembers } from '../../../core/compile/archive/members/content.ts'
import type { EvalsDocument } from '../../../core/compile/archive/members/documents.ts'
import { summarizeEvals, type EvalRow } from '../../../core/compile/archive/evals.ts'
import { toJsonObject } from '../../../core/compile/archive/members/members-json.ts'
import { hashOf, recipeSource, sizeOf } from '../../../core/compile/archive/recipe-facts.ts'
import {
  sealArchive,
  type BuildFacts,
  type SealedArchive,
  type SealInput,
  type TrainingMembers,
} from '../../../core/compile/archive/seal.ts'
import { computeEarlierKScore } from '../../../core/compile/stages/scoring/k-score-1.ts'
import type { EarlierKScore } from '../../../core/compile/stages/scoring/score-types.ts'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import type { EarlierSeedProvenance } from '../../../core/compile/rows/split/split-report.ts'
import type { SampleRecord } from '../../../core/compile/stages/stage-types.ts'
import type { Verifier } from '../../../core/compile/stages/verifier/verifier-types.ts'
import type { LoraRecipe } from '../../../core/compile/stages/lora/lora-recipe.ts'
import { openMacKey } from '../../../core/kernel/json/mac.ts'
import { openSigningKey, type SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { hashJson, isJsonObject, type JsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import { writeAdapter, type AdapterFile } from '../../../core/model/files/adapter-files.ts'

/** Ed25519 key pairs that are the same in every run: `seed` is repeated to 32 bytes. */
export function fixedSigningKey(seed = 1): SigningKey {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return openSigningKey(key.export({ type: 'pkcs8', format: 'pem' }).toString())
}

/** A receipt secret that is the same in every run. */
export const MAC_KEY = openMacKey('rsk_fixture', 'a secret of the test')

/** A program that answers the input in upper case. */
export const UPPER_PROGRAM: JsonObject = {
  language: 'svc-recipe-1',
  body: { op: 'upper', text: { op: 'input' } },
}

/** Evaluation rows of the upper-case task. */
export function upperRows(count: number): EvalRow[] {
  return Array.from({ length: count }, (_, index): EvalRow => {
    const input = `row number ${index} für ${'ab'.repeat(index % 7)}`
    const output = input.toUpperCase()
    return { id: `row_${index + 1}`, input, expected: output, output, abstained: false, correct: true }
  })
}

/** `evals.json` of these rows. */
export function evalsOf(rows: readonly EvalRow[]) {
  return summarizeEvals({ split: 'holdout', comparator: 'exact', rows })
}

/** A verifier whose only check is that outputs are texts, made from the train rows of this evaluation. */
function textVerifier(evals: EvalsDocument, abstention: Verifier['abstention']): ContentInput['verifier'] {
  const { train_count: train } = seedProvenance(evals)
  const rows = Math.min(train, 2000)
  const body = {
    spec: 'svc-verifier-1',
    output: { type: 'text' },
    checks: [{ id: 'type:.', kind: 'type', path: [], types: ['string'] }],
    metamorphic: [],
    soundness: { mutants: 8, accepted: 2, false_accept_rate: 0.25 },
    completeness: { rows, passed: rows, dropped: [] },
    abstention,
  } as const
  return { ...body, hash: hashJson(toJsonObject(body)) }
}

/** Content of a small archive with a hand-written program. */
export function contentInput(changes: Partial<ContentInput> = {}): ContentInput {
  const { recipe = { kind: 'program', recipe: UPPER_PROGRAM }, evals = evalsOf(upperRows(12)) } = changes
  const threshold = recipe.kind === 'classifier' ? Number(recipe.recipe['threshold']) : null
  const abstention =
    threshold === null
      ? null
      : ({
          threshold,
          chosen_on: 'inner_cross_validation',
          predictions: 24,
          right_withheld: 0,
          wrong_withheld: 0,
        } as const)
  return { recipe, evals, verifier: changes.verifier ?? textVerifier(evals, abstention) }
}

/** The split that left these rows to the evaluation: a fifth of all rows, or each in its turn. */
export function seedProvenance(evals: EvalsDocument): EarlierSeedProvenance {
  const { n, eval_set_hash: evalSetHash } = evals
  const split = evals.spec === 'svc-evals-1' ? evals.split : 'holdout'
  const hash = (digit: string): Sha256 => `sha256:${digit.repeat(64)}`
  const isHoldout = split === 'holdout'
  const source = isHoldout ? Math.max(20, n * 5) : n
  const train = isHoldout ? source - n : n
  const leakage = {
    input_overlap: 0,
    near_duplicate_groups: 0,
    near_duplicate_rows: 0,
    divided_groups: 0,
    near_duplicate_overlap: 0,
  }
  const trainHash = isHoldout ? hash('b') : evalSetHash
  return {
    seeds_hash: isHoldout ? hash('a') : evalSetHash,
    split_seed: 'svc-default-split-seed-v1',
    split_mode: split,
    holdout_ratio: 0.2,
    train_hash: trainHash,
    holdout_hash: evalSetHash,
    train_count: train,
    holdout_count: n,
    stratified_by: 'none',
    eval_source: 'tenant_given',
    eval_provenance: 'real_eval',
    leakage_report: leakage,
    leakage_report_hash: hashJson(leakage),
    synthesis_input_hash: trainHash,
    source_seed_count: source,
    approved_count: source,
    synthetic_count: 0,
    min_train: 40,
    min_holdout: 10,
    production_ready: isHoldout && train >= 40 && n >= 10,
  }
}

/** The K-score of this content by the formula of `svc-k-score-1`, with a latency of 25 microseconds. */
export function kScoreOf(content: ContentMembers, floor: number): EarlierKScore {
  const { n, correct, abstained } = content.evals
  const evaluation = {
    accuracy: correct / n,
    coverage: (n - abstained) / n,
    n,
    interval: wilsonInterval(correct, n),
  }
  const sizeBytes = sizeOf(recipeSource(content))
  return computeEarlierKScore(evaluation, { sizeBytes, p50LatencyUs: 25, costUsdPerCall: 0, floor })
}

/** Facts of a build of this content that passed its gate. */
export function buildFacts(content: ContentMembers, changes: Partial<BuildFacts> = {}): BuildFacts {
  const { kScoreFloor = 0.85 } = changes
  const source = recipeSource(content)
  const winner = { kind: source.kind, size_bytes: sizeOf(source), recipe_hash: hashOf(source) }
  const beaten = { kind: source.kind, size_bytes: null, recipe_hash: null }
  const provider: SampleRecord['provider'] = source.kind === 'program' ? 'synthesizer' : 'trainer'
  const measures = { cost: 1, search_steps: 0, training_steps: 0, settings: {} }
  const verdict = {
    fitted_rows: 0,
    fitted_right: 0,
    held_back_rows: null,
    held_back_right: null,
    verified_rows: null,
    verified_passed: null,
    negatives_violated: 0,
  }
  const samples: readonly SampleRecord[] = [
    { id: 'smp_1', provider, rank: 1, ...measures, ...winner, verdict: { ...verdict, chosen: 'winner' } },
    { id: 'smp_2', provider, rank: 2, ...measures, ...beaten, verdict: { ...verdict, chosen: 'beaten' } },
  ]
  const cost = {
    status: 'done',
    reason: null,
    wall_ms: 12,
    cpu_ms: 10,
    search_steps: 0,
    training_steps: 0,
    provider_tokens: 0,
    cost_usd: 0,
  } as const
  const tokens = Number(changes.training?.document['useful_tokens'] ?? 0)
  const fit = source.kind === 'lora' ? [{ stage: 'lora-fit' as const, ...cost, training_tokens: tokens }] : []
  return {
    jobId: 'cmp_00000000000000000000000000',
    createdAt: new Date('2026-01-02T03:04:05.000Z'),
    task: 'Write the text in upper case',
    kScoreFloor,
    kScore: kScoreOf(content, kScoreFloor),
    seedProvenance: seedProvenance(content.evals),
    samples,
    stages: [{ stage: 'k-sample', ...cost }, { stage: 'verify', ...cost }, ...fit],
    ...changes,
    training: completeTraining(content, changes.training ?? null),
  }
}

/** Returns the training evidence of an adapter, with the facts that every such document has of its base and its rows. */
function completeTraining({ recipe, evals }: ContentMembers, given: TrainingMembers | null): TrainingMembers | null {
  if (given === null || recipe.kind !== 'lora') return given
  const { train_hash: trainHash } = seedProvenance(evals)
  const { data, ...document } = given.document
  return {
    ...given,
    document: {
      spec: 'svc-training-1',
      trainer: 'embedded',
      base: toJsonObject(recipe.lora.base),
      hyperparameters: {},
      seed: 0,
      useful_tokens: 0,
      ...document,
      data: { ...(isJsonObject(data) ? data : {}), train_hash: trainHash },
    },
  }
}

/** Seals a small archive; the same arguments give the same bytes. */
export async function sealFixture(
  changes: Partial<SealInput> & { input?: Partial<ContentInput>; facts?: Partial<BuildFacts> } = {},
): Promise<SealedArchive> {
  const { input, facts, ...seal } = changes
  const content = buildContent(contentInput(input))
  return await sealArchive({
    content,
    build: buildFacts(content, facts),
    signer: fixedSigningKey(),
    macKey: MAC_KEY,
    issuedAt: new Date('2026-01-02T03:05:00.000Z'),
    ...seal,
  })
}

/**
 * The archive under docs/formats/vectors: small, and the same in every run and release. After a change of the format its bytes
 * go to docs/formats/vectors/example.svc, and its digests into docs/formats/svc-format.md.
 */
export async function sealExample(): Promise<SealedArchive> {
  return await sealFixture({
    facts: { toolchain: { svc: '0.1.0', runtime: 'svc-runtime-1' } },
    input: { evals: evalsOf(upperRows(2)) },
  })
}

/** A small adapter on one layer, whose factors hold `seed` and its multiples. */
export function adapterBytes(seed = 1): { readonly config: Uint8Array; readonly weights: Uint8Array } {
  const factors = (from: number): Float32Array => Float32Array.from({ length: 8 }, (_, place) => from * place * seed)
  const files = writeAdapter(
    {
      config: { rank: 2, alpha: 4, targetModules: ['q_proj'] },
      tensors: new Map([['model.layers.0.self_attn.q_proj', { a: factors(0.5), b: factors(0.25) }]]),
    },
    { baseName: 'nano' },
  )
  const bytes = (name: AdapterFile): Uint8Array => files.get(name) ?? new Uint8Array()
  return { config: bytes('adapter_config.json'), weights: bytes('adapter_model.safetensors') }
}

/** A recipe that asks an adapter for free text. */
export const ADAPTER_RECIPE: LoraRecipe = {
  spec: 'svc-lora-1',
  base: { name: 'nano', weights_hash: `sha256:${'e'.repeat(64)}`, architecture: 'LlamaForCausalLM', parameters: 1000 },
  prompt: { template: 'chat', instruction: null },
  output: 'text',
  constraint: null,
  max_new_tokens: 32,
  stop: [],
  abstain_below: null,
}

/** Seals an archive with an adapter. */
export async function sealAdapter(facts: Partial<BuildFacts> = {}): Promise<SealedArchive> {
  const document = { spec: 'svc-training-1', trainer: 'embedded', seed: 0, history: { steps: [], validation: [] } }
  return await sealFixture({
    input: { recipe: { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes() } },
    facts: { training: { document, curve: '<svg xmlns="http://www.w3.org/2000/svg"/>' }, ...facts },
  })
}
