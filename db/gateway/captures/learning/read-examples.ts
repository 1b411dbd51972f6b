import { captureExample, type ExampleBounds } from '../../../../core/gateway/captures/learning/capture-example.ts'
import type { SkipReason } from '../../../../core/gateway/captures/learning/skip-reasons.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import type { CaptureFilter, CaptureReader } from '../read-columns.ts'
import { streamCaptures } from '../stream-captures.ts'

/** Which captures to learn from: of one namespace, all or some. Only approved ones are taken. */
export type LearningSource = Pick<CaptureFilter, 'ids' | 'template'> & { readonly namespace: string }

/** An example with the id of its capture. */
export interface LearnedExample {
  readonly id: string
  readonly input: Json
  readonly output: Json
}

/** The count of examples read so far. */
export interface LearningTally {
  /** Captures that became examples. */
  used: number
  /** Captures that became none, by reason. */
  readonly skipped: Partial<Record<SkipReason, number>>
}

/** Starts a tally. */
export function learningTally(): LearningTally {
  return { used: 0, skipped: {} }
}

/**
 * Yields the approved captures of a source as examples, oldest first, in bounded memory, and counts them in `tally`.
 * Forgotten captures and those without a content are none of them; where ids are named, they count as not approved. The
 * caller checks that it may read captures.
 */
export async function* readExamples(
  op: CaptureReader,
  { namespace, ids, template }: LearningSource,
  { bounds, tally }: { readonly bounds: ExampleBounds; readonly tally: LearningTally },
): AsyncGenerator<LearnedExample> {
  const skip = (reason: SkipReason, count = 1): void => {
    if (count > 0) tally.skipped[reason] = (tally.skipped[reason] ?? 0) + count
  }
  let seen = 0
  const filter: CaptureFilter = { namespace, ids, template, statuses: ['approved'] }
  for await (const captures of streamCaptures(op, filter, { withBodies: true })) {
    for (const capture of captures) {
      seen++
      const example = captureExample(capture, bounds)
      if ('skipped' in example) {
        skip(example.skipped)
      } else {
        tally.used++
        yield { id: capture.id, ...example }
      }
    }
  }
  if (ids !== undefined) skip('not_approved', new Set(ids).size - seen)
}
