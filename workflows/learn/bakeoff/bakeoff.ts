import {
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { isAsked, readContestant } from '../../../core/learn/evals/bakeoff/contestant.ts'
import type { BakeoffActivities } from '../../../activities/learn/bakeoff/activities.ts'
import { isErrorCode, type ErrorCode } from '../../../core/learn/errors.ts'
import { computeOn } from '../../kernel/compute-on.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { ASK, COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { BakeoffInput, BakeoffOutcome } from './messages.ts'

const compute = proxyActivities<BakeoffActivities>(COMPUTE)
const asking = proxyActivities<BakeoffActivities>(ASK)
const finish = proxyActivities<BakeoffActivities>(FINISH)

/** A contestant with its place. */
interface Numbered {
  readonly contestant: number
  readonly name: string
  readonly takesTurns: boolean | undefined
}

/**
 * Holds a bake-off: contestants that compute here answer one after the other, and beside them those that ask a provider. Each answer is
 * recorded as it comes, so an attempt after a crash continues after the last. A contestant that fails has its reason
 * recorded, and the others continue.
 */
export async function bakeoff(input: BakeoffInput): Promise<BakeoffOutcome> {
  const { bakeoffId, tenantId } = input
  const ref = { bakeoffId, tenantId }
  show('running')
  try {
    const all = input.contestants.map((name, contestant): Numbered => {
      return { contestant, name, takesTurns: input.takesTurns?.[contestant] }
    })
    const asked = all.filter(({ name }) => isAsked(readContestant(name, 'contestants')))
    const local = all.filter((each) => !asked.includes(each))
    await Promise.all([inTurn(ref, local, answerHere), inTurn(ref, asked, askProvider)])
    const judgeError = input.isJudged ? await judge(ref) : null
    await compute.concludeBakeoff.executeWithOptions({ ...COMPUTE, summary: 'Compare all contestants' }, [
      { ...ref, judgeError },
    ])
    show('succeeded')
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failBakeoff.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the bake-off failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

type BakeoffRef = Pick<BakeoffInput, 'bakeoffId' | 'tenantId'>
type ContestantRef = BakeoffRef & Pick<Numbered, 'contestant'>

async function inTurn(
  ref: BakeoffRef,
  contestants: readonly Numbered[],
  answer: (ref: ContestantRef, given: Numbered) => Promise<number>,
): Promise<void> {
  for (const given of contestants) {
    const { contestant, name } = given
    try {
      await answer({ ...ref, contestant }, given)
    } catch (error) {
      if (isCancellation(error)) throw error
      const errorCode = codeOfFailure(error, isErrorCode)
      await finish.endContestant.executeWithOptions({ ...FINISH, summary: `${name} ends: ${errorCode}` }, [
        { ...ref, contestant, errorCode },
      ])
    }
  }
}

async function answerHere(ref: ContestantRef, { name, takesTurns }: Numbered): Promise<number> {
  const times = computeOn({ takesTurns })
  return await compute.answerRows.executeWithOptions({ ...times, summary: `${name} answers the rows` }, [ref])
}

async function askProvider(ref: ContestantRef, { name }: Numbered): Promise<number> {
  return await asking.askContestant.executeWithOptions({ ...ASK, summary: `${name} is asked for the rows` }, [ref])
}

/** A judge that fails leaves the bake-off without its preferences. */
async function judge(ref: BakeoffRef): Promise<ErrorCode | null> {
  try {
    return await asking.judgePairs.executeWithOptions({ ...ASK, summary: 'The judge compares answers' }, [ref])
  } catch (error) {
    if (isCancellation(error)) throw error
    return codeOfFailure(error, isErrorCode)
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
