import { setImmediate } from 'node:timers/promises'
import { inputOf } from '../../../../core/gateway/routing/own-input.ts'
import {
  fuelForEach,
  isExpectedOutput,
  isExpectedText,
  openSample,
  passesCase,
  type JudgedSample,
  type Verifier,
} from '../../../../core/compile/runtime/verified/judge-sample.ts'
import type { VerifiedBody } from '../../../../core/compile/wire/dispatch/verified.ts'
import { DomainError, KERNEL_ERRORS, isOneOf } from '../../../../core/kernel/errors.ts'
import { BILLING_ERRORS } from '../../../../core/billing/errors.ts'
import type { RunTarget } from '../../../../db/compile/concepts/find-runnable.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { keepsNothing } from '../../../kernel/guard/idempotency.ts'
import { runRecipe } from '../run-recipe.ts'
import type { Sampler } from './take-sample.ts'

/** Judges the text of a sample. */
export type Judge = (text: string) => Promise<JudgedSample>

/**
 * Returns what judges the samples of a call. A judge recipe is looked up before the first sample is paid for. Throws
 * `not_found` for one that is unknown, foreign or out of the key's namespaces.
 */
export async function openJudge(
  sampler: Sampler,
  given: VerifiedBody['verified'],
): Promise<{ readonly verifier: Verifier; readonly judge: Judge }> {
  const { test_cases: cases, expected = null } = given
  if (cases === undefined) return await openRecipeJudge(sampler, judgeTarget(given), expected)
  const [first, ...others] = cases
  if (first !== undefined && others.length === 0) {
    const verifier: Verifier = { kind: 'answer', cases: [first] }
    return { verifier, judge: async (text) => judged(text, isExpectedText(text, first.expected) ? 1 : 0, 1) }
  }
  const fuel = fuelForEach(cases.length)
  return {
    verifier: { kind: 'program', cases },
    judge: async (text) => {
      const sample = openSample(text, fuel)
      const base = { source: sample.text, total: cases.length, length: text.length }
      if (sample.program === null) return { ...base, passes: 0, problem: sample.problem }
      let passes = 0
      for (const one of cases) {
        if (passesCase(sample.program, one)) passes++
        // Other calls get a turn between two runs of a program that uses all its steps.
        await setImmediate()
      }
      return { ...base, passes, problem: null }
    },
  }
}

function judged(text: string, passes: number, total: number): JudgedSample {
  return { source: text, passes, total, length: text.length, problem: null }
}

function judgeTarget({ judge_recipe_id: id, judge_version_id: versionId }: VerifiedBody['verified']): RunTarget {
  if (versionId !== undefined) return { versionId }
  return id?.startsWith('cpt_') === true ? { conceptId: id } : { artifactId: id ?? '' }
}

async function openRecipeJudge(sampler: Sampler, target: RunTarget, expected: VerifiedBody['verified']['expected']) {
  const { services, principal, hangUp } = sampler
  const { runnable, artifactHash } = await services.recipes.load(principal.tenantId, target, boundsOf(principal))
  const { versionId } = runnable
  const verifier: Verifier = { kind: 'judge', versionId, artifactHash, expected: expected ?? null }
  const judge: Judge = async (text) => {
    const input = inputOf(text)
    try {
      const { result } = await runRecipe(services, principal, {
        // The version that was found first judges all samples, whatever becomes of the concept's head.
        target: { versionId },
        input,
        useCache: true,
        wantsReceipt: false,
        hangUp,
        whenKept: keepsNothing,
      })
      const isSure = !result.abstained && result.unlikeExamples !== true
      const isRight = isSure && isExpectedOutput(result.output, verifier.expected)
      return judged(text, isRight ? 1 : 0, 1)
    } catch (error) {
      if (!(error instanceof DomainError) || isOneOf(error, ENDS)) throw error
      return { ...judged(text, 0, 1), problem: error.message }
    }
  }
  return { verifier, judge }
}

/** Codes of a judge that ends the call rather than the sample. */
const ENDS = [BILLING_ERRORS.quota_exhausted, KERNEL_ERRORS.request_timeout, KERNEL_ERRORS.not_found]
