import { usageOf, type Usage } from '../exchange/answer.ts'

/** Characters of a token, by the rule of thumb for English text. */
const CHARS_PER_TOKEN = 4

/** Tokens of a call and whether they are the provider's own counts. */
export interface CountedUsage extends Usage {
  readonly isEstimated: boolean
}

/**
 * The provider's counts where it gave them. A call that ended early has an estimate for what it lacks: a quarter of the
 * characters.
 */
export function countedUsage(
  reported: Usage | null,
  call: { readonly inputChars: number; readonly outputChars: number; readonly isWhole: boolean },
): CountedUsage {
  if (reported !== null && call.isWhole) return { ...reported, isEstimated: false }
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
  return {
    ...(reported ?? usageOf({ inputTokens: tokens(call.inputChars) })),
    outputTokens: Math.max(reported?.outputTokens ?? 0, tokens(call.outputChars)),
    isEstimated: true,
  }
}
