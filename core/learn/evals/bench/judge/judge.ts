import { REAL_CLOCK, withRetries, type RetryPolicy } from '../../../../gateway/protocol/upstream/retry.ts'
import type { Provider } from '../../../../gateway/providers/provider.ts'
import { ProviderError } from '../../../../gateway/providers/provider-error.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import type { TurnJudgement } from '../runs/marks.ts'
import { judgePrompt, readScore, type JudgedTurn } from './judge-prompt.ts'

const RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 30_000, repeatsBilled: true }
const MAX_TOKENS = 1024

/** Asks a model for the score of one turn. An error of the judge is a judgement without a score. Throws the signal's reason. */
export async function judgeTurn(judge: Provider, turn: JudgedTurn, signal: AbortSignal): Promise<TurnJudgement> {
  const request = { messages: judgePrompt(turn), temperature: 0, maxTokens: MAX_TOKENS, n: 1 }
  try {
    const { samples } = await withRetries(async () => await judge.ask(request, signal), RETRY, REAL_CLOCK, signal)
    const score = readScore(samples[0]?.text ?? '')
    return score === null ? { score, error: 'unreadable_judgement' } : { score, error: null }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ProviderError) return { score: null, error: `judge_${error.failure}` }
    if (error instanceof DomainError) return { score: null, error: error.code }
    throw error
  }
}
