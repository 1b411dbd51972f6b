import type { Sha256 } from '../../kernel/json/json.ts'
import { DAG_SPEC, parseDag, type DagEdge, type DagNode, type EvidenceDag } from '../../ledger/dag/dag.ts'

/** Facts of a compile for its evidence graph. Digests only: the graph never holds rows. */
export interface CompileFacts {
  readonly jobId: string
  readonly recipe: { readonly id: string; readonly kind: string; readonly hash: Sha256 }
  readonly seeds: { readonly hash: string; readonly count: number; readonly source: string }
  /** The captures among the examples, with the ends of their chains; null where none are. */
  readonly captures: {
    readonly namespace: string
    readonly used: number
    readonly digest: string
    readonly chains: readonly { readonly count: number; readonly head: string }[]
  } | null
  readonly train: { readonly hash: string; readonly count: number }
  readonly holdout: { readonly hash: string; readonly count: number; readonly split: string }
  /** Providers of candidates, with the number of samples of each. */
  readonly teachers: readonly { readonly provider: string; readonly samples: number }[]
  readonly verifier: { readonly hash: Sha256 }
  readonly evals: { readonly hash: Sha256; readonly evalSetHash: Sha256 }
  /** `accepted` of a score below the floor. */
  readonly gate: {
    readonly floor: number
    readonly kScore: number
    readonly accepted: { readonly by: string; readonly at: string } | null
  }
  readonly baseModel: string
  /** The base of an adapter, and the digest of how it was trained; null for other kinds. */
  readonly training: { readonly weightsHash: string; readonly documentHash: string; readonly trainer: string } | null
  readonly runtimeVersion: string
  readonly signer: { readonly kid: string; readonly issuedAt: string }
}

/**
 * Returns the evidence graph of a compile. The signature depends on the recipe and its evaluation; the recipe on the
 * train rows, the teachers, the verifier and the runtime. Train and holdout rows depend on the given examples, and these
 * on captures and their chains where examples are captures.
 */
export function compileDag(facts: CompileFacts): EvidenceDag {
  const examples = `dataset:examples:${short(facts.seeds.hash)}`
  const train = `dataset:train:${short(facts.train.hash)}`
  const holdout = `dataset:holdout:${short(facts.holdout.hash)}`
  const evaluation = `eval:${short(facts.evals.hash)}`
  const verifier = `policy:verifier:${short(facts.verifier.hash)}`
  const gate = `policy:gate:${facts.jobId}`
  const runtime = `runtime:${facts.runtimeVersion}`
  const student = facts.recipe.id
  const signature = `signature:${facts.jobId}:${facts.signer.kid}`
  const teachers = facts.teachers.map(({ provider }) => `teacher:${provider}`)
  const base = facts.training === null ? null : `model:base:${short(facts.training.weightsHash)}`
  const captures = captureParts(facts, examples)
  const training = facts.training === null ? null : `training:${short(facts.training.documentHash)}`
  const nodes: DagNode[] = [
    { id: signature, kind: 'signature', kid: facts.signer.kid, issued_at: facts.signer.issuedAt, job_id: facts.jobId },
    {
      id: student,
      kind: 'student',
      recipe_kind: facts.recipe.kind,
      hash: facts.recipe.hash,
      base_model: facts.baseModel,
    },
    { id: evaluation, kind: 'eval', hash: facts.evals.hash, eval_set_hash: facts.evals.evalSetHash },
    { id: gate, kind: 'policy', k_score_floor: facts.gate.floor, k_score: facts.gate.kScore, ...acceptedFacts(facts) },
    { id: verifier, kind: 'policy', hash: facts.verifier.hash },
    ...facts.teachers.map(({ provider, samples }, index): DagNode => ({
      id: teachers[index] ?? provider,
      kind: 'teacher',
      provider,
      samples,
    })),
    { id: runtime, kind: 'runtime', version: facts.runtimeVersion },
    ...trainingNodes(facts, base, training),
    { id: holdout, kind: 'eval', hash: facts.holdout.hash, rows: facts.holdout.count, split: facts.holdout.split },
    { id: train, kind: 'capture', hash: facts.train.hash, rows: facts.train.count },
    { id: examples, kind: 'capture', hash: facts.seeds.hash, rows: facts.seeds.count, source: facts.seeds.source },
    ...captures.nodes,
  ]
  const edges: DagEdge[] = [
    derived(signature, student),
    validated(signature, gate),
    derived(gate, evaluation),
    derived(evaluation, student),
    derived(evaluation, holdout),
    derived(evaluation, runtime),
    derived(student, train),
    ...teachers.map((teacher) => derived(student, teacher)),
    validated(student, verifier),
    derived(verifier, train),
    derived(holdout, examples),
    derived(train, examples),
    ...captures.edges,
    ...(base === null || training === null
      ? []
      : [derived(student, training), derived(training, base), derived(training, train)]),
  ]
  return parseDag({ spec: DAG_SPEC, nodes, edges })
}

/** The captures below the examples, and the chains below the captures. */
function captureParts({ captures }: CompileFacts, examples: string) {
  if (captures === null) return { nodes: [], edges: [] }
  const { namespace, used, digest, chains } = captures
  const id = `dataset:captures:${short(digest)}`
  const nodes: DagNode[] = [
    { id, kind: 'capture', hash: digest, rows: used, namespace },
    ...chains.map(({ count, head }): DagNode => ({
      id: `chain:${short(head)}`,
      kind: 'capture',
      head,
      count,
      namespace,
    })),
  ]
  return { nodes, edges: [derived(examples, id), ...chains.map(({ head }) => derived(id, `chain:${short(head)}`))] }
}

function acceptedFacts({ gate: { accepted } }: CompileFacts) {
  return accepted === null ? {} : { accepted_by: accepted.by, accepted_at: accepted.at }
}

function trainingNodes({ training: facts, baseModel }: CompileFacts, base: string | null, training: string | null) {
  if (facts === null || base === null || training === null) return []
  const { weightsHash, documentHash, trainer } = facts
  const nodes: DagNode[] = [
    { id: base, kind: 'student', base_model: baseModel, hash: weightsHash },
    { id: training, kind: 'teacher', provider: 'trainer', trainer, hash: documentHash },
  ]
  return nodes
}

function derived(from: string, to: string): DagEdge {
  return { from, to, relationship: 'derived_from' }
}

function validated(from: string, to: string): DagEdge {
  return { from, to, relationship: 'validated_by' }
}

function short(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 32)
}
