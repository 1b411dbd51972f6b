import { createPrivateKey } from 'node:crypto'
import { buildContent, type ContentInput } from '../../../core/compiler/archive/content.ts'
import { summarizeEvals, type EvalRow } from '../../../core/compiler/archive/evals.ts'
import {
  sealArchive,
  type BuildFacts,
  type SealedArchive,
  type SealInput,
} from '../../../core/compiler/archive/seal.ts'
import type { LoraRecipe } from '../../../core/compiler/lora/lora-recipe.ts'
import { openMacKey } from '../../../core/evidence/keys/mac.ts'
import { openSigningKey, type SigningKey } from '../../../core/evidence/keys/signing-key.ts'
import type { JsonObject } from '../../../core/json.ts'
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

/** Content of a small archive with a hand-written program. */
export function contentInput(changes: Partial<ContentInput> = {}): ContentInput {
  return {
    recipe: { kind: 'program', recipe: UPPER_PROGRAM },
    verifier: { spec: 'svc-verifier-1', hash: `sha256:${'1'.repeat(64)}` },
    evals: evalsOf(upperRows(12)),
    ...changes,
  }
}

/** Facts of a build that passed its gate. */
export function buildFacts(changes: Partial<BuildFacts> = {}): BuildFacts {
  const hash = (digit: string) => `sha256:${digit.repeat(64)}`
  const kScore = { spec: 'svc-k-score-1', composite: 0.97, accuracy: 1 }
  const seedProvenance = {
    seeds_hash: hash('a'),
    source_seed_count: 60,
    eval_source: 'tenant_given',
    split_mode: 'holdout',
    train_hash: hash('b'),
    train_count: 48,
    holdout_hash: hash('c'),
    holdout_count: 12,
    leakage_report: { input_overlap: 0 },
  }
  return {
    jobId: 'cmp_00000000000000000000000000',
    createdAt: new Date('2026-01-02T03:04:05.000Z'),
    task: 'Write the text in upper case',
    training: null,
    kScoreFloor: 0.85,
    kScore,
    seedProvenance,
    samples: [
      { id: 'smp_1', provider: 'synthesizer' },
      { id: 'smp_2', provider: 'synthesizer' },
    ],
    stages: [{ stage: 'k-sample', status: 'done' }],
    ...changes,
  }
}

/** Seals a small archive; the same arguments give the same bytes. */
export async function sealFixture(
  changes: Partial<SealInput> & { input?: Partial<ContentInput>; facts?: Partial<BuildFacts> } = {},
): Promise<SealedArchive> {
  const { input, facts, ...seal } = changes
  return await sealArchive({
    content: buildContent(contentInput(input)),
    build: buildFacts(facts),
    signer: fixedSigningKey(),
    macKey: MAC_KEY,
    issuedAt: new Date('2026-01-02T03:05:00.000Z'),
    ...seal,
  })
}

/**
 * The archive under docs/vectors: small, and the same in every run and release. After a change of the format its bytes
 * go to docs/vectors/example.svc, and its digests into docs/svc-format.md.
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
