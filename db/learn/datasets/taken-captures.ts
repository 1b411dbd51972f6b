import { captureExample, type CaptureExample } from '../../../core/gateway/captures/learning/capture-example.ts'
import type { VersionSource } from '../../../core/learn/datasets/version-request.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { streamCaptures } from '../../gateway/captures/stream-captures.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Captures of a namespace that a version takes. */
export interface AskedCaptures {
  readonly namespace: string
  readonly captures: NonNullable<VersionSource['captures']>
  readonly limits: Pick<Limits, 'example_bytes' | 'json_depth'>
}

/** A capture that a version takes, with its example or why there is none. */
export interface TakenCapture {
  readonly id: string
  readonly conversationId: string | null
  readonly example: CaptureExample
}

/**
 * Yields the captures of a namespace that a version takes, oldest first, batch by batch, up to so many examples. Forgotten ones are
 * none of them.
 */
export async function* takenCaptures(
  op: Operation,
  { namespace, captures, limits }: AskedCaptures,
): AsyncGenerator<readonly TakenCapture[]> {
  const filter = {
    namespace,
    statuses: captures.statuses,
    ...(captures.ids !== null && { ids: captures.ids }),
    ...(captures.from !== undefined && { from: new Date(captures.from) }),
    ...(captures.to !== undefined && { to: new Date(captures.to) }),
  }
  const bounds = { exampleBytes: limits.example_bytes, jsonDepth: limits.json_depth }
  let left = captures.most
  for await (const batch of streamCaptures(op, filter, { withBodies: true })) {
    const taken: TakenCapture[] = []
    for (const capture of batch) {
      if (left === 0) break
      const example = captureExample(capture, bounds)
      if ('input' in example) left--
      taken.push({ id: capture.id, conversationId: capture.conversationId, example })
    }
    yield taken
    if (left === 0) return
  }
}
