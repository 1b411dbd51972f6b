import type { RuledCall } from '../guardrails/apply-rules.ts'
import type { InjectionVerdict } from '../guardrails/injection.ts'
import type { GuardrailRule } from '../guardrails/rules.ts'

/** A body to look at. */
export interface LookInput {
  /** As JSON, in parts. */
  readonly body: readonly Uint8Array[]
  readonly rules: readonly GuardrailRule[]
  readonly detectsInjection: boolean
}

/** Findings in a body. */
export interface Looked extends Omit<RuledCall, 'body'> {
  /** The body as the rules rewrote it, as JSON; null where they left it as it was. */
  readonly rewritten: string | null
  readonly verdict: InjectionVerdict
  /** Of each find: the number of its text, its start, its end, and the number of its class; in the order of the texts. */
  readonly finds: Int32Array
}

/** The task of the thread that looks at large bodies. */
export interface LookTasks {
  readonly look: { readonly input: LookInput; readonly output: Looked }
}

/** Numbers of one find. */
export const FIND_NUMBERS = 4
