import { summarizeEvals } from '../../archive/evals.ts'
import type { EvalsDocument } from '../../archive/members/documents.ts'
import type { Equality } from '../../equality/equality.ts'
import type { Evaluation } from '../scoring/score-types.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { AdapterEvidence, KindResult, VerifyOutput } from '../stage-types.ts'

/** Figures of one kind's winner. */
export type KindVerdict = Omit<KindResult, 'evaluation'> & { readonly evaluation: Omit<Evaluation, 'results'> }

/**
 * Result of `verify` for later stages: everything of it that is signed or shown. Its size is bounded whatever the
 * number of rows: it holds the evaluated rows that evals.json shows, and the digests of all.
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
  readonly spec: 'svc-verdict-1'
  readonly kinds: readonly KindVerdict[]
  readonly evals: EvalsDocument
  /** The equality behind `evals`; absent in records of older versions, whose rows a comparator judged. */
  readonly equality?: Equality
  /** Result of `lora-fit`; null before it. */
  readonly adapter: AdapterEvidence | null
  readonly split: Pick<Split, 'mode' | 'provenance'>
}

/** Condenses the output of `verify` in its thread: the rows never reach the event loop of the worker. */
export function condenseVerdict(output: VerifyOutput): Verdict {
  const { gate, chosen, kScore, verifier, equality, notApplicable, samples, verifiedSampleIds, facts, costs, teacher } =
    output
  const { mode, provenance } = output.split
  return {
    spec: 'svc-verdict-1',
    gate,
    chosen,
    kScore,
    verifier,
    equality,
    kinds: output.kinds.map(({ evaluation: { results: _results, ...evaluation }, ...kind }) => ({
      ...kind,
      evaluation,
    })),
    notApplicable,
    adapter: null,
    evals: summarizeEvals({ split: mode, comparator: 'equality', rows: output.evals }),
    samples,
    verifiedSampleIds,
    split: { mode, provenance },
    facts,
    costs,
    teacher,
  }
}
