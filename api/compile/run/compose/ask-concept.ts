import type { z } from 'zod'
import type { ComposeAnswer } from '../../../../core/compile/wire/dispatch/compose.ts'
import type { Candidate } from '../../../../core/compile/runtime/routing/route-call.ts'
import { DomainError, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import type { WhenKept } from '../../../kernel/guard/idempotency.ts'
import type { CompileServices } from '../../services.ts'
import { runRecipe, type RunCaller, type RunOutcome } from '../run-recipe.ts'
import type { RoutedHead } from './routers.ts'

/** The call that concepts are asked for. */
export interface Composer {
  readonly services: CompileServices
  readonly principal: RunCaller
  readonly hangUp: () => AbortSignal
  readonly whenKept: WhenKept
  readonly useCache: boolean
  /** Aborts when the time of the call is over. */
  readonly deadline: AbortSignal
}

/** One concept that was asked: its answer, or the error in its place. */
export type Dispatch = Candidate<RoutedHead> &
  (
    | { readonly outcome: RunOutcome; readonly error: null }
    | { readonly outcome: null; readonly error: DomainError | null }
  )

/** The result of a call. */
export interface Composed {
  readonly output: Json
  readonly dispatches: readonly Dispatch[]
  readonly candidates: number
  readonly reason: z.output<typeof ComposeAnswer>['reason'] | null
}

/**
 * Runs the head of one concept. An answer after the deadline is left out: `outcome` and `error` are null, and nothing is
 * charged or counted. Throws `request_timeout` when the caller disconnected.
 */
export async function askConcept(composer: Composer, candidate: Candidate<RoutedHead>, input: Json): Promise<Dispatch> {
  const { services, principal, hangUp, deadline } = composer
  const held: { readonly effect: () => void; readonly undo: (() => void) | undefined }[] = []
  let isLate = false
  const running = runRecipe(services, principal, {
    target: { versionId: candidate.concept.versionId },
    input,
    useCache: composer.useCache,
    wantsReceipt: true,
    hangUp: () => AbortSignal.any([hangUp(), deadline]),
    whenKept: (effect, undo) => {
      if (isLate) undo?.()
      else held.push({ effect, undo })
    },
  })
  try {
    const outcome = await untilAborted(running, deadline)
    for (const { effect, undo } of held) composer.whenKept(effect, undo)
    return { ...candidate, outcome, error: null }
  } catch (error) {
    isLate = true
    for (const { undo } of held) undo?.()
    if (hangUp().aborted) throw KERNEL_ERRORS.request_timeout('the caller disconnected', { cause: error })
    if (deadline.aborted) return { ...candidate, outcome: null, error: null }
    if (error instanceof DomainError) return { ...candidate, outcome: null, error }
    throw error
  }
}

/** Waits for work until the signal aborts; then it throws, and the work ends by itself. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>()
  const onAbort = (): void => over.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  work.catch(() => undefined)
  try {
    return await Promise.race([work, over.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
