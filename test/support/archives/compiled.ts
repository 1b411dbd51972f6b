import { factsOf } from '../../../core/compile/rows/intake/example.ts'
import { buildContent } from '../../../core/compile/archive/members/content.ts'
import { compilerDigest } from '../../../core/compile/archive/recompute/compiler-digest.ts'
import { sealArchive, type SealedArchive } from '../../../core/compile/archive/seal.ts'
import { condenseVerdict, listedUnlabelled, type Verdict } from '../../../core/compile/stages/judge/verdict.ts'
import type { DoubtChoices } from '../../../core/compile/runtime/certificate/risk.ts'
import { verifyCandidates } from '../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../core/compile/stages/sample/sample.ts'
import type { StageCost } from '../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'
import { fixedSigningKey, MAC_KEY } from './archives.ts'

/** Compiles rows with the stages that a worker runs, and seals what they chose. Throws when no recipe reaches `floor`. */
export async function compileArchive(
  given: readonly Row[],
  {
    floor = 0.5,
    workBudget,
    doubt = {},
    rowsForm = 'held',
    unlabelled = [],
    acceptedAt,
  }: {
    readonly acceptedAt?: string
    readonly floor?: number
    readonly workBudget?: number
    readonly doubt?: DoubtChoices
    readonly unlabelled?: readonly Json[]
    readonly rowsForm?: 'held' | 'digests'
  } = {},
): Promise<SealedArchive> {
  // A worker reads rows from their canonical form, in which members of objects are sorted.
  const rows = given.map((row): Row => ({ ...row, input: canonical(row.input), output: canonical(row.output) }))
  const common = { task: 'An archive of a test', rows, negatives: [], facts: factsOf(rows) }
  const sample = sampleCandidates({
    ...common,
    unlabelled: unlabelled.map((input, i) => ({ id: `unlabelled_${i + 1}`, input })),
    k: 3,
    budgetMs: 60_000,
    keepsAlternatives: doubt.risk !== undefined,
    ...(workBudget === undefined ? {} : { workBudget }),
  })
  const verdict = condenseVerdict(verifyCandidates({ ...common, sample, floor, doubt, rowsForm }))
  return await sealVerdict(verdict, { task: common.task, sampling: sample.cost, floor, acceptedAt })
}

function canonical(value: Json): Json {
  const copy: Json = JSON.parse(canonicalJson(value))
  return copy
}

/** Seals what a verdict chose. Throws when it chose nothing. */
export async function sealVerdict(
  verdict: Verdict,
  facts: {
    readonly task: string
    readonly sampling: StageCost
    readonly floor: number
    /** When a key accepted a K-score below the floor. */
    readonly acceptedAt?: string | undefined
  },
): Promise<SealedArchive> {
  const { chosen, kScore, verifier, evals, equality, rows, sampling, certificate } = verdict
  if (chosen === null || kScore === null) throw new Error(`no recipe: ${verdict.gate.reason}`)
  return await sealArchive({
    content: buildContent({ recipe: chosen.data, verifier, evals, equality, rows, certificate }),
    build: {
      jobId: 'cmp_00000000000000000000000000',
      createdAt: new Date('2026-01-02T03:04:05.000Z'),
      task: facts.task,
      training: null,
      kScoreFloor: facts.floor,
      kScore,
      accepted:
        facts.acceptedAt === undefined
          ? null
          : { by: 'key:key_1', at: facts.acceptedAt, k_score: kScore.composite, k_score_floor: facts.floor },
      seedProvenance: verdict.split.provenance,
      undecided: verdict.undecided,
      unlabelledInputs: listedUnlabelled(verdict),
      samples: verdict.samples,
      teacher: verdict.teacher,
      stages: [facts.sampling, ...verdict.costs],
      sampling: sampling ?? null,
      toolchain: { node: process.version, compiler: compilerDigest() },
    },
    signer: fixedSigningKey(),
    macKey: MAC_KEY,
    issuedAt: new Date('2026-01-02T03:05:00.000Z'),
  })
}
