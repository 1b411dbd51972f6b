import { compileDag, type CompileFacts } from '../stages/compile-dag.ts'
import type { EvidenceDag } from '../../ledger/dag/dag.ts'
import { sha256, type Sha256 } from '../../kernel/json/json.ts'
import type { ContentMembers } from './members/content.ts'
import type { ContentMember } from './members/members.ts'
import { decodeJson, parseDocument } from './members/members-json.ts'
import type { BuildDocument, SampleDocument } from './schemas/build.ts'
import { TrainingDocument } from './schemas/training.ts'

/** Sources of the evidence graph: facts of other members, and of the seal. */
export interface EvidenceSource {
  readonly content: ContentMembers
  readonly build: BuildDocument
  /** `training.json`; undefined for recipes that are not adapters. */
  readonly training: Uint8Array | undefined
  readonly runtimeVersion: string
  readonly signer: { readonly kid: string; readonly issuedAt: string }
}

/** The evidence graph of an archive. Everything in it follows from other members, so a verifier makes it again. */
export function evidenceOf({ content, build, training, runtimeVersion, signer }: EvidenceSource): EvidenceDag {
  const { seed_provenance: seeds } = build
  const { hashes, recipe, evals } = content
  const samples: readonly SampleDocument[] = build.samples
  const byProvider = Map.groupBy(samples, ({ provider }) => provider)
  return compileDag({
    jobId: build.job_id,
    recipe: { id: recipe.id, kind: recipe.kind, hash: memberHash(hashes, 'recipes.json') },
    seeds: { hash: seeds.seeds_hash, count: seeds.source_seed_count, source: seeds.eval_source },
    captures: capturesFacts(build),
    train: { hash: seeds.train_hash, count: seeds.train_count },
    holdout: { hash: seeds.holdout_hash, count: seeds.holdout_count, split: seeds.split_mode },
    teachers: [...byProvider].map(([provider, samples]) => ({ provider, samples: samples.length })),
    verifier: { hash: memberHash(hashes, 'verifier.json') },
    evals: { hash: memberHash(hashes, 'evals.json'), evalSetHash: evals.eval_set_hash },
    gate: { floor: build.k_score_floor, kScore: build.k_score, accepted: build.accepted ?? null },
    baseModel: baseNameOf(content),
    training: trainingFacts(content, training),
    runtimeVersion,
    signer,
  })
}

/** The base that the recipe needs; `none` when there is no base in play. */
export function baseNameOf({ recipe }: Pick<ContentMembers, 'recipe'>): string {
  return recipe.kind === 'lora' ? recipe.lora.base.name : 'none'
}

function capturesFacts({ captures }: BuildDocument): CompileFacts['captures'] {
  if (captures === undefined) return null
  const { namespace, used, digest, chains } = captures
  return { namespace, used, digest, chains }
}

function trainingFacts({ recipe }: ContentMembers, training: Uint8Array | undefined): CompileFacts['training'] {
  if (recipe.kind !== 'lora' || training === undefined) return null
  const { trainer } = parseDocument(TrainingDocument, decodeJson(training, 'training.json'), 'training.json')
  return { weightsHash: recipe.lora.base.weights_hash, documentHash: sha256(training), trainer }
}

function memberHash(hashes: ContentMembers['hashes'], name: ContentMember): Sha256 {
  const hash = hashes[name]
  if (hash === undefined) throw new TypeError(`content has no ${name}`)
  return hash
}
