import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { summarizeEvals, type LeafFacts } from '../../archive/evals.ts'
import type { EvalsDocument } from '../../archive/members/documents.ts'
import type { Certificate } from '../../runtime/certificate/certificate-types.ts'
import { parseComposite } from '../../runtime/composite/composite-recipe.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Evaluation } from '../scoring/score-types.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { RowsForm } from '../lora/lora-options.ts'
import type { AdapterEvidence } from '../lora/adapter-evidence.ts'
import type { EvalCase, KindResult, VerifyOutput } from './verify-types.ts'

/** Figures of one kind's winner. */
export type KindVerdict = Omit<KindResult, 'evaluation'> & { readonly evaluation: Omit<Evaluation, 'results'> }

/**
 * Result of `verify` for later stages: everything of it that is signed or shown. Its size is bounded whatever the
 * number of rows: it holds the held-out rows that evals.json shows, and the digests of all.
 */
export interface Verdict extends Pick<
  VerifyOutput,
  | 'gate'
  | 'chosen'
  | 'kScore'
  | 'verifier'
  | 'notApplicable'
  | 'samples'
  | 'verifiedSampleIds'
  | 'facts'
  | 'costs'
  | 'teacher'
> {
  /** `svc-verdict-1` is that of versions before cross-fitting. */
  readonly spec: 'svc-verdict-1' | 'svc-verdict-2'
  readonly kinds: readonly KindVerdict[]
  readonly evals: EvalsDocument
  /** The equality behind `evals`; absent in records of older versions, whose rows a comparator judged. */
  readonly equality?: Equality
  /** `rows.json`; absent in records of older versions. */
  readonly rows?: VerifyOutput['rows']
  readonly sampling?: VerifyOutput['sampling']
  /** Null when no risk was named; absent in records of older versions. */
  readonly certificate?: Certificate | null
  /** Absent in records of older versions. */
  readonly undecided?: VerifyOutput['undecided']
  /** Whatever the form of `evals`: an adapter's may hold rows where the other kinds' hold digests. */
  readonly unlabelledInputs?: VerifyOutput['unlabelledInputs']
  /** The rows of this evaluation, see `reportRows`; absent once they are stored apart. */
  readonly rowReport?: Uint8Array
  /** Absent in records of older versions. */
  readonly rowAdvice?: VerifyOutput['rowAdvice']
  /** Result of `lora-fit`; null before it. */
  readonly adapter: AdapterEvidence | null
  readonly split: Pick<Split, 'mode' | 'provenance'>
}

function leafFacts(recipe: JsonObject): readonly LeafFacts[] {
  return parseComposite(recipe).leaves.map(({ path, part, leaf }) => ({ path, part, kind: leaf.kind }))
}

/** `evals.json` of an evaluation, in the version that the split's evidence belongs to. */
export function evalsOf(
  { mode, provenance }: Pick<Split, 'mode' | 'provenance'>,
  rows: readonly EvalCase[],
  { form = 'held', chosen = null }: { readonly form?: RowsForm; readonly chosen?: VerifyOutput['chosen'] } = {},
): EvalsDocument {
  const leaves = chosen?.data.kind === 'composite' ? { leaves: leafFacts(chosen.data.recipe) } : {}
  if ('spec' in provenance) return summarizeEvals({ mode: provenance.split_mode, ...leaves, rows, form })
  return summarizeEvals({ split: mode === 'leave_one_out' ? mode : 'holdout', comparator: 'equality', rows })
}

/** Condenses the output of `verify` in its thread: the rows never reach the event loop of the worker. */
export function condenseVerdict(output: VerifyOutput): Verdict {
  const { gate, chosen, kScore, verifier, equality, certificate, notApplicable, samples, facts, costs, teacher } =
    output
  const { mode, provenance } = output.split
  const evals = evalsOf(output.split, output.evals, { form: output.form, chosen })
  return {
    spec: 'svc-verdict-2',
    gate,
    chosen,
    kScore,
    verifier,
    equality,
    certificate,
    undecided: output.undecided,
    ...(output.unlabelledInputs === undefined ? {} : { unlabelledInputs: output.unlabelledInputs }),
    kinds: output.kinds.map(({ evaluation: { results: _results, ...evaluation }, ...kind }) => ({
      ...kind,
      evaluation,
    })),
    notApplicable,
    adapter: null,
    evals,
    rowReport: output.rowReport,
    rowAdvice: output.rowAdvice,
    // Where evals.json holds digests, the rows beside it are not held either.
    rows: isDigested(evals) ? null : output.rows,
    sampling: output.sampling,
    samples,
    verifiedSampleIds: output.verifiedSampleIds,
    split: { mode, provenance },
    facts,
    costs,
    teacher,
  }
}

/** Returns the unlabelled inputs that build.json lists: none where the archive holds digests. */
export function listedUnlabelled({
  evals,
  unlabelledInputs,
}: Pick<Verdict, 'evals' | 'unlabelledInputs'>): readonly Json[] | undefined {
  return isDigested(evals) ? undefined : unlabelledInputs
}

/** Returns true for an evaluation that holds digests of its rows. */
export function isDigested(evals: EvalsDocument): boolean {
  return evals.spec === 'svc-evals-2' && evals.digests !== undefined
}
