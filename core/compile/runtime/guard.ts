import type { Json } from '../../kernel/json/json.ts'
import type { ContentMembers } from '../archive/members/content.ts'
import { confidenceOf } from './certificate/doubt.ts'
import { isGiven } from './certificate/risk-curve.ts'
import { compileChecks } from '../stages/verifier/compile-checks.ts'
import type { RunResult } from './recipe.ts'

/** The checks of a verifier that an answer passed, and those that it failed, by their ids. */
interface CheckedAnswer {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

/** An answer as a run gives it: withheld when it is in doubt and the version abstains then. */
export interface GuardedResult {
  readonly output: Json
  readonly abstained: boolean
  /** 0 to 1; null for a recipe whose confidence says nothing. */
  readonly confidence: number | null
  /** Null when the recipe gave no answer, and for archives whose verifier is not applied. */
  readonly checks: CheckedAnswer | null
  /** True when the input fails a check of the rows' inputs; null for archives without such checks. */
  readonly unlikeExamples: boolean | null
}

/** Judges the answers of a recipe. */
export type Guard = (input: Json, result: RunResult) => GuardedResult

/** Members that decide about an answer. */
type GuardSource = Pick<ContentMembers, 'verifier' | 'certificate'> & {
  readonly recipe: Pick<ContentMembers['recipe'], 'kind'>
}

const NONE: readonly string[] = []

/**
 * Makes the guard of an archive; the checks are compiled once. A version that abstains in doubt withholds an answer
 * that fails a check or whose input is unlike the rows and, under a certificate, one below its threshold.
 */
export function openGuard({ verifier, certificate, recipe }: GuardSource): Guard {
  // A program is certain of every answer, so its confidence says something only where it was calibrated.
  const isTelling = recipe.kind !== 'program' || certificate !== null
  if (verifier.spec === 'svc-verifier-1') {
    return (_input, { output, abstained, confidence }) => ({
      output,
      abstained,
      confidence: isTelling ? confidence : null,
      checks: null,
      unlikeExamples: null,
    })
  }
  const outputs = compileChecks(verifier.checks)
  const inputs = compileChecks(verifier.inputs.checks)
  const allPassed: CheckedAnswer = { passed: outputs.ids, failed: NONE }
  const threshold = certificate?.threshold ?? null
  const isDoubted = (confidence: number, isSuspect: boolean): boolean =>
    isSuspect || (threshold !== null && !isGiven(confidence, threshold))
  return (input, result) => {
    const unlikeExamples = inputs.failed(input, input).length > 0
    if (result.abstained) {
      const { confidence } = result
      return { output: null, abstained: true, confidence: isTelling ? confidence : null, checks: null, unlikeExamples }
    }
    const failed = outputs.failed(input, result.output)
    const isSuspect = unlikeExamples || failed.length > 0
    const confidence = confidenceOf(result.confidence, isSuspect)
    const isWithheld = verifier.on_doubt === 'abstain' && isDoubted(confidence, isSuspect)
    return {
      output: isWithheld ? null : result.output,
      abstained: isWithheld,
      confidence: isTelling ? confidence : null,
      checks: failed.length === 0 ? allPassed : { passed: outputs.ids.filter((id) => !failed.includes(id)), failed },
      unlikeExamples,
    }
  }
}
