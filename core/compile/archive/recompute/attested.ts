import type { Equality } from '../../rows/equality/equality.ts'
import { tolerancePhrase, tolerancesOf } from '../../rows/equality/tolerance.ts'
import type { BuildDocument } from '../schemas/build.ts'

/** A fact that no recomputation can confirm, and why. */
export interface AttestedFact {
  readonly fact: string
  readonly why: string
}

/** Returns the facts of a build that its signature alone vouches for. */
export function attestedFacts(
  { teacher, recipe_kind: kind, accepted }: BuildDocument,
  equality: Equality | null,
): readonly AttestedFact[] {
  const tolerances = tolerancesOf(equality)
  return [
    { fact: 'task, floor, ids and times', why: 'given by the caller and by the clock' },
    ...(accepted === undefined
      ? []
      : [{ fact: 'who accepted it below its floor, and when', why: 'a call to the service' }]),
    ...(tolerances.length === 0
      ? []
      : [
          {
            fact: `the tolerances of numbers: ${tolerances.map(tolerancePhrase).join(', ')}`,
            why: "the caller's choice",
          },
        ]),
    { fact: 'the accepted risk and the behaviour in doubt', why: "the caller's choice" },
    {
      fact: 'latency and cost of a call',
      why: 'measured or priced while compiling; the K-score is recomputed with them',
    },
    { fact: 'times of the stages', why: 'measured while compiling' },
    { fact: 'the kind of the recipe', why: 'the choice among kinds depends on their latencies' },
    ...(teacher?.status === 'asked'
      ? [{ fact: "the teacher's samples, tokens and prices", why: 'given by a provider' }]
      : []),
    ...(kind === 'lora'
      ? [{ fact: 'the training of the adapter', why: 'its trainer repeats it on other hardware only roughly' }]
      : []),
  ]
}
